// What the static site found, taken along: as a table, as ids, as the code that gives them.
"use strict";
(() => {
  const { load, open, find, order } = window.commonground;
  const menu = document.querySelector("details.take");
  const asked = new URLSearchParams(location.search), { corpus, whole } = menu.dataset;
  const query = (asked.get("q") || "").trim(), sort = asked.get("sort") || "";
  const WIDE = 100;

  const readRow = async (index, ordinal) => {
    const [[split, domain, events, findings, , , source]] = (await load(`lines-${Math.floor(ordinal / index.block)}`))[ordinal % index.block];
    const number = (name) => index.measures.get(name)?.[ordinal] ?? null, counts = ["n_events", "n_utterances"];
    const others = [...index.measures.keys()].filter((name) => !counts.includes(name));
    return [
      ["dialogue_id", index.ids[ordinal]], ["split", split], ["domain", domain], ["n_events", events], ["n_utterances", number("n_utterances")],
      ...others.map((name) => [name, number(name)]), ["findings", findings], ["source_file", source],
    ];
  };
  const readRows = (index, found) => Promise.all(found.map((ordinal) => readRow(index, ordinal)));
  const cell = (value) => {
    const text = String(value ?? "");
    // As Python's csv module quotes, so that both sites give the same bytes.
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
      const rows = await readRows(index, found), head = rows.length ? rows[0].map(([name]) => name) : ["dialogue_id"];
      return [head, ...rows.map((row) => row.map(([, value]) => value))].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
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
