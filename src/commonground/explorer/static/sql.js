// Ctrl-Enter (or Cmd-Enter) runs the query; Tab leaves the field, as in every other.
"use strict";
(() => {
  const field = document.getElementById("query");
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); field.form.requestSubmit(); }
  });
  // Another chart of the same query is one choice, and no further click.
  field.form.elements.chart.addEventListener("change", () => field.form.requestSubmit());
})();
