// Roles: explicit ones of WAI-ARIA 1.2 and native ones of HTML-AAM. "" means generic.

const KNOWN_ROLES = new Set(
  ("alert alertdialog application article banner blockquote button caption cell checkbox code" +
    " columnheader combobox comment complementary contentinfo definition deletion dialog" +
    " document emphasis feed figure form grid gridcell group heading img insertion link list" +
    " listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox" +
    " menuitemradio meter navigation note option paragraph progressbar radio radiogroup region" +
    " row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status" +
    " strong subscript suggestion superscript switch tab table tablist tabpanel term textbox" +
    " time timer toolbar tooltip tree treegrid treeitem").split(" "));

const SYNONYMS = { image: "img", directory: "list", presentation: "none", generic: "" };

const NATIVE_ROLES = {
  address: "group", article: "article", blockquote: "blockquote", button: "button",
  caption: "caption", code: "code", dd: "definition", del: "deletion", details: "group",
  dfn: "term", dialog: "dialog", dt: "term", em: "emphasis", fieldset: "group",
  figcaption: "caption", figure: "figure", h1: "heading", h2: "heading", h3: "heading",
  h4: "heading", h5: "heading", h6: "heading", hgroup: "group", hr: "separator", ins: "insertion",
  main: "main", mark: "mark", math: "math", menu: "list", meter: "meter", nav: "navigation",
  ol: "list", optgroup: "group", option: "option", output: "status", p: "paragraph",
  progress: "progressbar", search: "search", strong: "strong", sub: "subscript",
  sup: "superscript", table: "table", tbody: "rowgroup", textarea: "textbox", tfoot: "rowgroup",
  thead: "rowgroup", time: "time", ul: "list", legend: "legend",
  audio: "audio", canvas: "canvas", video: "video", iframe: "frame", frame: "frame",
};

const INPUT_ROLES = {
  button: "button", checkbox: "checkbox", color: "button", file: "button", hidden: "none",
  image: "button", number: "spinbutton", radio: "radio", range: "slider", reset: "button",
  submit: "button",
};

// An element of one of these needs its owner: without it, it is generic.
const OWNERS = {
  li: ["ul", "ol", "menu"], tr: ["table", "tbody", "thead", "tfoot"], td: ["tr"], th: ["tr"],
  tbody: ["table"], thead: ["table"], tfoot: ["table"],
};

const SECTIONING = new Set(["article", "aside", "main", "nav", "section"]);
const SECTIONING_ROLES = new Set(["article", "complementary", "main", "navigation", "region"]);
const FOCUS_WITHOUT_TABINDEX = "a[href],area[href],button,input:not([type=hidden]),select," +
  "textarea,summary,iframe,audio[controls],video[controls]";

/** Whether focus could ever be set on the element. */
const isFocusable = (element) =>
  hasAttribute(element, "tabindex") || isEditableRoot(element) ||
  (matches(element, FOCUS_WITHOUT_TABINDEX) && !matches(element, ":disabled"));

/** Whether the element is where an editable region starts. */
function isEditableRoot(element) {
  const editable = attribute(element, "contenteditable");
  return editable !== null && editable.toLowerCase() !== "false" && isHtml(element) &&
    isEditable(element);
}

const GLOBAL_ARIA = ["aria-atomic", "aria-busy", "aria-controls", "aria-current",
  "aria-describedby", "aria-description", "aria-details", "aria-dropeffect", "aria-flowto",
  "aria-grabbed", "aria-keyshortcuts", "aria-label", "aria-labelledby", "aria-live", "aria-owns",
  "aria-relevant", "aria-roledescription"];

/** Whether an element must not be presentational: it can be focused or has global ARIA. */
const refusesNone = (element) =>
  isFocusable(element) ||
  GLOBAL_ARIA.some((name) => tidy(attribute(element, name) ?? "") !== "");

/** The role written in the `role` attribute, "none" included, or null. */
function explicitRole(element) {
  const written = attribute(element, "role");
  if (!written) return null;
  for (const token of tidy(written.toLowerCase()).split(" ")) {
    const role = SYNONYMS[token] ?? token;
    if (role === "none" && !refusesNone(element)) return "none";
    if (role === "" || (KNOWN_ROLES.has(role) && !lacksRequiredName(element, role))) return role;
  }
  return null;
}

const lacksRequiredName = (element, role) =>
  (role === "region" || role === "form") && !hasAuthorName(element);

/** Whether an author named the element itself (a landmark needs it). */
const hasAuthorName = (element) =>
  hasAriaName(element) || tidy(attribute(element, "title") ?? "") !== "";

/** Whether the element's name takes the place of its content. */
const hasAriaName = (element) =>
  tidy(attribute(element, "aria-label") ?? "") !== "" ||
  (hasAttribute(element, "aria-labelledby") && labelledByOf(element)?.length > 0);

/** The element's role: explicit, else native; "" for generic, "none" for presentational. */
function roleOf(element) {
  const written = explicitRole(element);
  if (written !== null) return written;
  if (!isHtml(element)) return foreignRole(element);
  if (isEditableRoot(element) && !NATIVE_ROLES[tagOf(element)]) return "textbox";
  return nativeRole(element, tagOf(element));
}

function foreignRole(element) {
  const tag = tagOf(element);
  if (tag === "math") return "math";
  if (tag === "a" && (hasAttribute(element, "href") || hasAttribute(element, "xlink:href"))) {
    return "link";
  }
  return tag === "svg" && (svgTitle(element) || hasAuthorName(element)) ? "img" : "";
}

function nativeRole(element, tag) {
  const owners = OWNERS[tag];
  if (owners && !isOwned(element, owners)) return "";
  const special = SPECIAL_ROLES[tag];
  if (special) return special(element);
  return NATIVE_ROLES[tag] ?? "";
}

/** Whether the parent is one of `owners` and not made presentational. */
function isOwned(element, owners) {
  const parent = flatParent(element);
  if (!parent || !owners.includes(tagOf(parent))) return false;
  const role = explicitRole(parent);
  if (tagOf(element) === "li") return role === null || role === "list";
  if (role === "none" || role === "") return false;
  return OWNERS[tagOf(parent)] === undefined || role !== null || roleOf(parent) !== "";
}

const linkRole = (element) => (hasAttribute(element, "href") ? "link" : "");
const pageSection = (role) => (element) =>
  flatClosest(element, (node) => SECTIONING.has(tagOf(node)) ||
    SECTIONING_ROLES.has(explicitRole(node))) ? "" : role;

const SPECIAL_ROLES = {
  a: linkRole,
  area: linkRole,
  aside: asideRole,
  footer: pageSection("contentinfo"),
  form: (element) => (hasAuthorName(element) ? "form" : ""),
  header: pageSection("banner"),
  img: imageRole,
  input: inputRole,
  li: () => "listitem",
  section: (element) => (hasAuthorName(element) ? "region" : ""),
  select: (element) => (isListBox(element) ? "listbox" : "combobox"),
  summary: (element) => (isSummary(element) ? "button" : ""),
  td: cellRole,
  th: headerRole,
  tr: () => "row",
};

/** An aside is a landmark in the page and its main part; elsewhere it needs a name. */
function asideRole(element) {
  const around = flatClosest(element, (node) =>
    SECTIONING.has(tagOf(node)) && tagOf(node) !== "main");
  return around === null || hasAuthorName(element) ? "complementary" : "";
}

const isListBox = (element) =>
  hasAttribute(element, "multiple") || Number(attribute(element, "size")) > 1;

/** Whether this is the summary that opens its details. */
function isSummary(element) {
  const details = parentOf(element);
  if (!details || !isElement(details) || tagOf(details) !== "details") return false;
  for (let node = firstChildOf(details); node; node = nextSiblingOf(node)) {
    if (isElement(node) && tagOf(node) === "summary") return node === element;
  }
  return false;
}

function imageRole(element) {
  return attribute(element, "alt") === "" && !hasAttribute(element, "title") &&
    !refusesNone(element) ? "none" : "img";
}

function inputRole(element) {
  const type = inputType(element);
  if (type === "checkbox" && hasAttribute(element, "switch")) return "switch";
  if (INPUT_ROLES[type]) return INPUT_ROLES[type];
  if (hasAttribute(element, "list")) return "combobox";
  return type === "search" ? "searchbox" : "textbox";
}

const inputType = getter(HTMLInputElement.prototype, "type");

const tableOf = (element) => flatClosest(element, (node) => tagOf(node) === "table");

function cellRole(element) {
  const role = explicitRole(tableOf(element) ?? element);
  return role === "grid" || role === "treegrid" ? "gridcell" : "cell";
}

function headerRole(element) {
  const scope = (attribute(element, "scope") ?? "").toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  return isRowHeader(element) ? "rowheader" : "columnheader";
}

/** A header cell without scope heads its row when data cells share the row. */
function isRowHeader(element) {
  const row = flatParent(element);
  return row !== null && childNodes(row).some((node) => isElement(node) && tagOf(node) === "td");
}
