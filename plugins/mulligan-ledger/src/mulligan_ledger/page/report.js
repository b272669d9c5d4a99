"use strict";
const $ = (id) => document.getElementById(id);
const talks = [...document.querySelectorAll(".talk")];
const texts = new Map();
const textOf = (talk) => {
  if (!texts.has(talk)) texts.set(talk, talk.textContent.toLowerCase());
  return texts.get(talk);
};
const filter = () => {
  const words = $("q").value.toLowerCase().split(/\s+/).filter(Boolean);
  const tool = $("tool").value, error = $("error").value, bad = $("bad").checked;
  let shown = 0;
  for (const talk of talks) {
    const { tools, errors } = talk.dataset;
    const fits = (!tool || tools.split(" ").includes(tool)) && (!error || errors.split(" ").includes(error)) &&
      (!bad || talk.dataset.bad === "1") && words.every((word) => textOf(talk).includes(word));
    talk.hidden = !fits;
    shown += fits;
  }
  $("found").textContent = `${shown} shown`;
  $("none").hidden = shown > 0;
};
for (const id of ["q", "tool", "error", "bad"]) $(id).addEventListener("input", filter);
$("filters").addEventListener("submit", (event) => event.preventDefault());

const show = () => {
  const talk = talks.find((one) => `#${one.id}` === location.hash);
  if (!talk) return;
  talk.hidden = false;
  talk.open = true;
  talk.scrollIntoView();
  talk.querySelector("summary").focus();
};
addEventListener("hashchange", show);
addEventListener("load", show);

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const link = new URL(`#${button.dataset.for}`, location.href).href;
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = "copied";
    } catch {
      button.textContent = "the link is in the address bar";
    }
  });
}

const valueOf = (row, at) => {
  const text = row.cells[at].textContent.trim();
  const value = parseFloat(text.replace(/[,%]/g, ""));
  return Number.isNaN(value) ? text.toLowerCase() : value;
};
for (const table of document.querySelectorAll(".sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => {
        const one = valueOf(a, at), two = valueOf(b, at);
        if (typeof one !== typeof two) return typeof one === "number" ? -1 : 1;
        return (one < two ? -1 : one > two ? 1 : 0) * (down ? -1 : 1);
      });
      table.tBodies[0].append(...rows);
    });
  });
}

let opened = [];
addEventListener("beforeprint", () => {
  opened = talks.filter((talk) => !talk.open && !talk.hidden);
  for (const talk of opened) talk.open = true;
});
addEventListener("afterprint", () => {
  for (const talk of opened) talk.open = false;
});

const version = document.body.dataset.version;
if (version) {
  setInterval(async () => {
    try {
      const now = await (await fetch("version", { cache: "no-store" })).text();
      if (now === version) return;
      const reads = talks.some((talk) => talk.open) || document.activeElement !== document.body;
      if (!reads) location.reload();
      else $("news").textContent = ": there are new calls, reload the page to see them";
    } catch {
      $("news").textContent = ": the program that serves this page has ended";
    }
  }, 2000);
}
