// Python in the browser, with the rules of the game; all files lie beside this one.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = (name) => new URL(name, import.meta.url).href;
const rules = fetch(here("rules.zip")).then((answer) => answer.arrayBuffer());

async function load() {
  const python = await loadPyodide({ indexURL: here("pyodide/") });
  await python.loadPackage(here("pyodide/WHEEL"), { messageCallback: () => {} });
  python.unpackArchive(await rules, "zip", { extractDir: "/home/pyodide" });
  return python;
}

export const python = load();
