"use strict";
(() => {
  const one = (query, within = document) => within.querySelector(query);
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const root = document.documentElement;
  root.classList.add("js");

  // --- theme: auto, light, dark; kept where the browser lets a page keep something
  const theme = one("#theme");
  const themes = ["auto", "light", "dark"];
  const wear = (name) => {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    one("#worn").textContent = name;
    theme.setAttribute("aria-label", `Theme: ${name}`);
  };
  let worn = "auto";
  try { worn = localStorage.getItem("aliquot-theme") || "auto"; } catch { /* a file without storage */ }
  if (!themes.includes(worn)) worn = "auto";
  wear(worn);
  theme.hidden = false;
  theme.addEventListener("click", () => {
    worn = themes[(themes.indexOf(worn) + 1) % themes.length];
    wear(worn);
    try { localStorage.setItem("aliquot-theme", worn); } catch { /* it lasts as long as the page */ }
  });

  // --- copying
  const said = one("#said");
  const copied = async (text) => {
    try { await navigator.clipboard.writeText(text); return true; } catch { /* older ways follow */ }
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  for (const block of all(".cmd")) {
    if (one("code", block).textContent.split("\n").every((line) => line.startsWith("#"))) continue; // nothing to run
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy the command");
    button.addEventListener("click", async () => {
      const done = await copied(one("code", block).textContent);
      button.textContent = done ? "Copied" : "Select it";
      button.classList.toggle("done", done);
      said.textContent = done ? "The command is copied." : "The browser doesn't let the page copy: select the text.";
      setTimeout(() => { button.textContent = "Copy"; button.classList.remove("done"); }, 1600);
    });
    block.append(button);
  }

  // --- filters: causes by verdict, namespace and words; nodes by namespace and words, and what is free
  const filters = one("#filters"), find = one("#find"), namespace = one("#namespace"), found = one("#found");
  const causes = all("article.cause"), nodes = all(".node"), groups = all(".hardware");
  const onlyFree = one("#onlyfree"), onlyAsked = one("#onlyasked");
  let offers = [];
  const words = new Map(nodes.map((node) => [node, ""]));
  const wordsOf = (node) => words.get(node) || (words.set(node, node.textContent.toLowerCase()), words.get(node));
  const has = (list, wanted) => wanted.some((name) => (list || "").split(" ").includes(name));
  const sift = () => {
    const terms = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const space = namespace ? namespace.value : "";
    const boxes = all("[name=verdict]");
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let shown = 0, seen = 0;
    for (const cause of causes) {
      const keep = (!boxes.length || verdicts.has(cause.dataset.verdict)) && (!space || has(cause.dataset.ns, [space]))
        && terms.every((term) => cause.dataset.words.includes(term));
      shown += keep;
      cause.hidden = !keep;
      for (const row of all(`[data-cause="${cause.id}"]`)) row.hidden = !keep;
    }
    for (const node of nodes) {
      const keep = (!space || has(node.dataset.ns, [space])) && (!onlyFree.checked || "free" in node.dataset)
        && (!offers.length || has(node.dataset.offers, offers)) && terms.every((term) => wordsOf(node).includes(term));
      seen += keep;
      node.hidden = !keep;
    }
    for (const group of groups) group.hidden = !one(".node:not([hidden])", group);
    one(".none").hidden = shown > 0 || !causes.length;
    const all_shown = shown === causes.length && seen === nodes.length;
    found.textContent = all_shown ? "" : `${shown} of ${causes.length} causes and ${seen} of ${nodes.length} nodes on the map match.`;
  };
  for (const part of all("label[hidden]:not([data-one]), [name=verdict]", filters)) part.hidden = false;
  filters.addEventListener("input", sift);
  filters.addEventListener("submit", (event) => event.preventDefault());
  if (onlyFree) {
    one("#mapfilter").hidden = false;
    onlyFree.addEventListener("change", sift);
    onlyAsked.addEventListener("click", () => { offers = []; onlyAsked.hidden = true; sift(); });
  }
  for (const link of all(".onmap")) link.addEventListener("click", () => {
    offers = link.dataset.offers.split(" ");
    onlyAsked.textContent = `Showing what offers ${offers.join(", ")} ✕`;
    onlyAsked.hidden = false;
    sift();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input[type=search], select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); find.focus(); }
    if (event.key === "Escape" && event.target === find) { find.value = ""; sift(); }
  });

  // --- links into what is closed or filtered away
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.hidden || target.closest("[hidden]")) { find.value = ""; offers = []; if (namespace) namespace.value = ""; if (onlyFree) { onlyFree.checked = false; onlyAsked.hidden = true; } for (const box of all("[name=verdict]")) box.checked = true; sift(); }
    for (let up = target; up; up = up.parentElement) if (up.matches("details")) up.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  // --- what a piece of a bar is, where the pointer is
  const tip = one("#tip");
  document.addEventListener("pointerover", (event) => {
    const piece = event.target.closest(".bar i, .link i");
    if (!piece) { tip.hidden = true; return; }
    if (piece.title) { piece.dataset.told = piece.title; piece.removeAttribute("title"); }
    if (!piece.dataset.told) return;
    tip.textContent = piece.dataset.told;
    tip.hidden = false;
    const at = piece.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const above = at.top - size.height - 6;
    tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - size.width - 8))}px`;
    tip.style.top = `${above > 0 ? above : at.bottom + 6}px`;
  });
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  // --- paper shows everything
  let closed = [];
  addEventListener("beforeprint", () => { closed = all("details:not([open])"); for (const each of closed) each.open = true; });
  addEventListener("afterprint", () => { for (const each of closed) each.open = false; });
})();
