"use strict";
(() => {
  const PAGE = 100;
  const table = document.getElementById("rows");
  const head = table.tHead;
  const original = [...table.tBodies];
  const search = document.getElementById("q");
  const selects = [...document.querySelectorAll(".filters select")];
  const onlyNew = document.getElementById("only-new");
  const status = document.getElementById("shown");
  const more = document.getElementById("more");
  const all = document.getElementById("all");
  const words = new Map();
  let order = original;
  let limit = PAGE;

  const textOf = (body) => {
    if (!words.has(body)) words.set(body, body.textContent.toLowerCase());
    return words.get(body);
  };

  const wanted = () => {
    const terms = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = selects.filter((select) => select.value);
    return (body) =>
      chosen.every((select) => body.dataset[select.dataset.key] === select.value) &&
      (!onlyNew || !onlyNew.checked || "new" in body.dataset) &&
      terms.every((term) => textOf(body).includes(term));
  };

  const show = () => {
    const fits = wanted();
    let found = 0;
    for (const body of order) body.hidden = !(fits(body) && ++found <= limit);
    const shown = Math.min(found, limit);
    const of = found === original.length ? "" : ` of ${original.length.toLocaleString("en")}`;
    status.textContent = found === 0 ? "No mismatch fits." :
      shown < found ? `The first ${shown.toLocaleString("en")} of ${found.toLocaleString("en")} that fit.` :
      `${found.toLocaleString("en")}${of} ${found === 1 && !of ? "mismatch" : "mismatches"}.`;
    more.parentElement.hidden = shown === found;
  };

  const changed = () => { limit = PAGE; show(); };

  const setOpen = (body, open) => {
    body.classList.toggle("opened", open);
    body.querySelector(".open").setAttribute("aria-expanded", String(open));
  };

  const keyOf = (cell, kind) => {
    const text = cell.dataset.v ?? cell.textContent.trim();
    if (kind === "number") return [Number(text), ""];
    const number = parseFloat(text);
    return [kind === "rule" && !Number.isNaN(number) ? number : Infinity, text];
  };

  const sortBy = (heading) => {
    const column = [...heading.parentElement.cells].indexOf(heading);
    const next = { none: "ascending", ascending: "descending", descending: "none" }[heading.ariaSort ?? "none"];
    for (const other of heading.parentElement.cells) if (other.dataset.sort) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", next);
    if (next === "none") order = original;
    else {
      const sign = next === "ascending" ? 1 : -1;
      const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
      const keyed = original.map((body) => [body, keyOf(body.rows[0].cells[column], heading.dataset.sort)]);
      keyed.sort(([, [n, s]], [, [m, t]]) => sign * (n === m ? collator.compare(s, t) : n - m));
      order = keyed.map(([body]) => body);
    }
    table.append(...order);
    show();
  };

  for (const heading of head.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sortBy(heading));
  }

  table.addEventListener("click", async (event) => {
    const copy = event.target.closest(".copy");
    if (copy) {
      const source = copy.parentElement.querySelector("pre");
      try {
        await navigator.clipboard.writeText(source.textContent);
        copy.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        copy.textContent = "Selected: copy with the keyboard";
      }
      return;
    }
    const row = event.target.closest(".row");
    if (!row || event.target.closest("a") || String(getSelection())) return;
    setOpen(row.parentElement, !row.parentElement.classList.contains("opened"));
  });

  const form = document.querySelector(".filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", changed);
  form.addEventListener("reset", () => setTimeout(changed));
  more.addEventListener("click", () => { limit += PAGE; show(); });
  all.addEventListener("click", () => { limit = Infinity; show(); });

  const follow = () => {
    const body = /^#m\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!body) return;
    if (body.hidden) {
      search.value = "";
      for (const select of selects) select.value = "";
      if (onlyNew) onlyNew.checked = false;
      limit = Math.max(limit, order.indexOf(body) + 1);
      show();
    }
    setOpen(body, true);
    body.scrollIntoView();
  };

  let beforePrint = limit;
  addEventListener("beforeprint", () => { beforePrint = limit; limit = Infinity; show(); });
  addEventListener("afterprint", () => { limit = beforePrint; show(); });
  addEventListener("hashchange", follow);

  for (const body of original) setOpen(body, false);
  show();
  document.documentElement.classList.add("ready");
  follow();
})();
