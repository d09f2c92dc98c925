// What the static site found, taken along: as a table, as ids, as the code that gives them.
"use strict";
(() => {
  const { load, open, find, order } = window.commonground;
  const menu = document.querySelector("details.take");
  const asked = new URLSearchParams(location.search), { corpus, whole } = menu.dataset;
  const query = (asked.get("q") || "").trim(), sort = asked.get("sort") || "";
  const WIDE = 100;

  const counts = ["n_events", "n_utterances"];
  const columns = (index) => ["dialogue_id", "split", "domain", ...counts, ...[...index.measures.keys()].filter((name) => !counts.includes(name)), "findings", "source_file"];
  const readRow = async (index, ordinal) => {
    const [[split, domain, n_events, findings, , , source_file]] = (await load(`lines-${Math.floor(ordinal / index.block)}`))[ordinal % index.block];
    const said = { dialogue_id: index.ids[ordinal], split, domain, n_events, findings, source_file };
    return columns(index).map((name) => [name, name in said ? said[name] : index.measures.get(name)?.[ordinal] ?? null]);
  };
  const readRows = (index, found) => Promise.all(found.map((ordinal) => readRow(index, ordinal)));
  const cell = (value) => {
    // As files/spreadsheets.py writes, so that both sites give the same bytes: a formula behind a quote.
    const text = typeof value === "string" ? value.replace(/^[=+\-@\t\r\n＝＋－＠]/, "'$&") : String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  // Python's words for texts are those of JSON, except that SQL doubles its quotation marks.
  const inPython = (text) => JSON.stringify(text), inSql = (text) => `'${text.replaceAll("'", "''")}'`;
  const fold = (words, indent) => {
    const lines = [[]];
    let length = indent;
    for (const each of words) {
      if (length + each.length >= WIDE && lines.at(-1).length) { lines.push([]); length = indent; }
      lines.at(-1).push(each);
      length += each.length + 2;
    }
    return lines.map((line) => " ".repeat(indent) + line.join(", ")).join(",\n");
  };
  const isAll = () => whole === "yes" && !query;
  const ids = (index, found) => found.map((ordinal) => index.ids[ordinal]);
  const forms = {
    csv: ["text/csv", async (index, found) => {
      const rows = await readRows(index, found);
      const table = [columns(index), ...rows.map((row) => row.map(([, value]) => value))];
      return `\ufeff${table.map((row) => `${row.map(cell).join(",")}\n`).join("")}`;
    }],
    jsonl: ["application/jsonl", async (index, found) => {
      const rows = await readRows(index, found);
      // Rows are joined by hand: an object of JavaScript would put names that are numbers first.
      return rows.map((row) => `{${row.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(", ")}}\n`).join("");
    }],
    txt: ["text/plain", (index, found) => ids(index, found).map((each) => `${each}\n`).join("")],
    py: ["text/x-python", (index, found) => {
      const begin = `import commonground as cg\n\ncorpus = cg.load(${inPython(corpus)})`;
      return isAll() ? `${begin}\n` : `${begin}.select(\n    ids=[\n${fold(ids(index, found).map(inPython), 8)}\n    ]\n)\n`;
    }],
    sql: ["application/sql", (index, found) => {
      const begin = `SELECT dialogue_id\nFROM dialogues\nWHERE corpus = ${inSql(corpus)}`;
      return isAll() ? `${begin}\n` : `${begin}\n  AND dialogue_id IN (\n${fold(found.length ? ids(index, found).map(inSql) : ["NULL"], 4)}\n  )\n`;
    }],
  };
  const take = async (form) => {
    const index = await open(), { dialogues, events } = await find(index, query);
    const [type, write] = forms[form], text = await write(index, order(index, dialogues, sort, events));
    const link = document.createElement("a"), href = URL.createObjectURL(new Blob([text], { type }));
    Object.assign(link, { href, download: `${corpus}-found.${form}` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  };
  const status = menu.querySelector("output");
  for (const each of menu.querySelectorAll("[data-take]")) each.addEventListener("click", () => {
    status.textContent = "";
    take(each.dataset.take).catch((error) => { status.textContent = error.message; });
  });
})();
