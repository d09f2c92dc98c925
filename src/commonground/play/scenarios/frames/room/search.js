// The search: a form that follows the active frame, and what was found, a click from an offer.
import { button, element, fill, make, nameSlot, own, renew, texts } from "/static/parts.js";

const WIDE = matchMedia("(min-width: 1240px)");
const DAY_MS = 86_400_000;
const MOST_CITIES = 20;
const CITIES = ["ORIGIN_CITY", "DESTINATION_CITY"];
const DATES = ["START_TIME", "END_TIME"];
const NUMBERS = ["NUM_ADULTS", "NUM_CHILDREN", "PRICE_MIN", "PRICE_MAX"];
const TELLS = ["dst_city", "name", "category", "price", "str_date", "end_date", "seat", "duration", "gst_rating", "or_city"];
// What an offer says unless the wizard chooses otherwise, and all that the hotel has, as one choice.
const USUAL = ["dst_city", "name", "category", "price"];
const HAS = "has";

export function openSearch(desk) {
  const form = element("fr-form");
  const tells = new Set(USUAL);
  let filled = null;
  let shown = 0;
  let known = null;
  let asked = false;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    asked = true;
    desk.act("frames.search", readForm(form));
  });
  form.addEventListener("input", (event) => {
    event.target.closest("label").classList.remove("fr-lit");
    if (CITIES.includes(event.target.name)) listCities(event.target, desk.game.cities);
  });
  for (const name of CITIES) form.elements[name].addEventListener("focus", (event) => listCities(event.target, desk.game.cities));
  const turn = (step) => {
    shown = Math.max(1, Math.min(desk.game.searches.length, shown + step));
    drawFound(desk.game);
  };
  element("fr-earlier").onclick = () => turn(-1);
  element("fr-later").onclick = () => turn(1);
  element("fr-found").addEventListener("keydown", (event) => {
    if (!/^\d$/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
    const row = element("fr-rows").children[event.key === "0" ? 9 : Number(event.key) - 1];
    row?.querySelector("button")?.click();
  });
  drawTells(tells);

  function offer(search, row) {
    const said = desk.game.searches[search - 1].said[row - 1];
    const tell = TELLS.filter((slot) => tells.has(slot) && slot in said);
    if (tells.has(HAS)) tell.push(...Object.keys(said).filter((slot) => said[slot] === true));
    const name = desk.game.searches[search - 1].fits ? {} : { name: "suggest" };
    desk.act("frames.offer", { search, row, tell, ...name });
  }

  function drawFound(game) {
    element("fr-found").hidden = shown === 0;
    if (shown === 0) return;
    const search = game.searches[shown - 1];
    const values = { n: shown, of: game.searches.length, found: search.packages.length };
    element("fr-found-title").textContent = fill(texts[search.packages.length ? (search.fits ? "found" : "found_others") : "found_none"], values);
    element("fr-table").hidden = search.packages.length === 0;
    element("fr-earlier").disabled = shown === 1;
    element("fr-later").disabled = shown === game.searches.length;
    const offered = Object.entries(game.offers).filter(([, each]) => each.search === shown);
    renew(element("fr-rows"), [shown, offered, game.phase], () => search.packages.map((_, at) => {
      const frames = offered.filter(([, it]) => it.row === at + 1).map(([frame]) => frame);
      return makeRow(search, at + 1, frames, game.phase === "chat" ? () => offer(shown, at + 1) : null);
    }));
  }

  return {
    focus: () => form.elements.DESTINATION_CITY.focus(),
    draw(game) {
      const state = JSON.stringify(game.form);
      if (filled !== state) fillForm(form, game, filled !== null);
      filled = state;
      const more = known !== null && game.searches.length > known;
      if (more || known === null) shown = game.searches.length;
      known = game.searches.length;
      drawFound(game);
      if (more && asked) {
        asked = false;
        if (!WIDE.matches) element("fr-found").scrollIntoView();
        (element("fr-rows").querySelector("button") || form.elements.DESTINATION_CITY).focus({ preventScroll: true });
      }
    },
  };
}

// Offers the cities that have what was typed, those first that begin with it.
function listCities(field, cities) {
  const typed = field.value.trim().toLowerCase();
  const found = cities.filter((each) => each.toLowerCase().includes(typed));
  found.sort((one, other) => other.toLowerCase().startsWith(typed) - one.toLowerCase().startsWith(typed));
  field.list.replaceChildren(...found.slice(0, MOST_CITIES).map((each) => make("option", { value: each, "data-own": "" })));
}

function fillForm(form, game, light) {
  const values = {
    ...game.form,
    ...Object.fromEntries(DATES.filter((each) => game.form[each]).map((each) => [each, toDay(game.form[each])])),
    MAX_DURATION: game.form.MAX_DURATION ? String(game.form.MAX_DURATION / DAY_MS) : "",
  };
  for (const field of form.elements) {
    if (!field.name) continue;
    if (DATES.includes(field.name) && game.days[0]) {
      field.min = game.days[0];
      field.max = toDay(Date.parse(game.days[1]) + 60 * DAY_MS);
    }
    const value = values[field.name] || "";
    const held = field.type === "checkbox" ? (field.checked ? "true" : "") : field.value;
    if (held === value) continue;
    if (field.type === "checkbox") field.checked = value === "true";
    else field.value = value;
    field.closest("label").classList.toggle("fr-lit", light);
  }
}

function toDay(ms) {
  return new Date(Number(ms)).toISOString().slice(0, 10);
}

// Returns the search as the rules take it; what is empty is left out.
function readForm(form) {
  const query = {};
  const read = (name) => form.elements[name].value.trim();
  for (const name of [...CITIES, ...NUMBERS]) if (read(name)) query[name] = read(name);
  for (const name of DATES) if (read(name)) query[name] = String(Date.parse(`${read(name)}T00:00:00Z`));
  if (read("MAX_DURATION")) query.MAX_DURATION = Number(read("MAX_DURATION")) * DAY_MS;
  if (form.elements.ARE_DATES_FLEXIBLE.checked) query.ARE_DATES_FLEXIBLE = "true";
  return { NUM_ADULTS: "1", ...query };
}

function drawTells(tells) {
  element("fr-tell").replaceChildren(...[...TELLS, HAS].map((slot) => {
    const choice = button({ class: "fr-toggle", "aria-pressed": String(tells.has(slot)) }, slot === HAS ? texts.has : nameSlot(slot));
    choice.onclick = () => {
      const on = !tells.delete(slot);
      if (on) tells.add(slot);
      choice.setAttribute("aria-pressed", String(on));
    };
    return choice;
  }));
}

// Days in short, in the language of the page: Aug 21 – Aug 27.
function showDays({ leaving, returning }) {
  const day = new Intl.DateTimeFormat(document.documentElement.lang, { month: "short", day: "numeric", timeZone: "UTC" });
  return [leaving, returning].map(({ departure: at }) => day.format(Date.UTC(at.year, at.month - 1, at.day))).join(" – ");
}

function makeRow(search, number, frames, offer) {
  const [found, said] = [search.packages[number - 1], search.said[number - 1]];
  // Where it starts tells rows apart only if it was not searched for.
  const origin = !search.query.ORIGIN_CITY;
  const { hotel } = found;
  const stars = make("span", {}, own(`★ ${said.category}`));
  if (said.gst_rating) stars.append(own(" · "), nameSlot("gst_rating"), " ", own(said.gst_rating));
  const has = Object.keys(said).filter((slot) => said[slot] === true);
  const label = fill(texts.offer_row, { name: hotel.name, price: said.price });
  const cell = make("td", { class: "fr-offer" });
  if (frames.length) cell.append(make("span", { class: "fr-tag fr-done" }, fill(texts.frame, { n: frames.join(", ") })));
  if (offer) cell.append(button({ class: "fr-small", "aria-label": label, "data-own": "", onclick: offer }, texts.offer));
  return make("tr", { "data-row": String(number) },
    make("td", { class: "fr-price" }, own(String(number), { class: "fr-number" }), own(`$${found.price.toFixed(2)}`)),
    make("td", {}, make("strong", { "data-own": "" }, hotel.name), make("br"), own(`${hotel.dst_city}, ${hotel.country}`), make("br"), stars, make("span", { class: "fr-has" }, ...has.map((slot) => make("span", {}, nameSlot(slot))))),
    make("td", {}, own(showDays(found.trip)), make("br"), own(`${said.duration}, ${said.seat}`), ...(origin ? [make("br"), own(`${found.trip.or_city} →`, { class: "soft" })] : [])),
    cell);
}
