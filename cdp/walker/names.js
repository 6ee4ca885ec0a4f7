// Accessible names: "Accessible Name and Description Computation 1.2", steps 2A to 2I, with the
// native text alternatives of HTML-AAM. Comments name the steps.

const NAMED_BY_CONTENT = new Set(
  ("button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox" +
    " menuitemradio option radio row rowheader switch tab tooltip treeitem clickable").split(" "));

const RANGES = new Set(["slider", "spinbutton", "progressbar", "meter", "scrollbar", "separator"]);

/** How the name of one element is being computed. */
class Traversal {
  constructor(seen = null, nested = false, referenced = false, undrawn = false) {
    this.seen = seen; // made when there is something to remember: most names need none
    this.nested = nested; // below the element that is being named
    this.referenced = referenced; // inside aria-labelledby: it is not followed a second time
    this.undrawn = undrawn; // started from a referenced element that is itself hidden
  }

  /** The same computation, one level further down from `element`. */
  below(element) {
    if (this.nested) return this;
    return new Traversal(new Set([element]), true, this.referenced, this.undrawn);
  }
}

// These are named by their content only where they can be acted on: a reader of the tree sees
// what is in them.
const NAMED_WHEN_ACTIVE = new Set(["row", "cell", "gridcell", "columnheader", "rowheader"]);

/** Whether the element's name, unless written by an author, is what is in it. */
function isNamedByContent(element, role) {
  if (role === "clickable") return false;
  if (!NAMED_WHEN_ACTIVE.has(role)) return NAMED_BY_CONTENT.has(role);
  return role !== "row" && (hasAttribute(element, "tabindex") ||
    isClickable(element, attributeNames(element)));
}

/** The name that a row of the element starts with (see `Walk.close`). */
const shownName = (element, role) =>
  (role === "clickable" || (NAMED_WHEN_ACTIVE.has(role) && !isNamedByContent(element, role))) &&
    !hasAuthorName(element) ? "" : nameOf(element, role);

/** The element's accessible name. `role` is what `roleOf` or the caller says it is. */
function nameOf(element, role) {
  return tidy(alternative(element, role, new Traversal()));
}

/** The element's accessible description (aria-describedby, aria-description, else its title). */
function descriptionOf(element, name) {
  const targets = describedByOf(element);
  if (targets?.length) return even(referencedText(targets, new Traversal()));
  const written = even(attribute(element, "aria-description") ?? attribute(element, "title") ?? "");
  return written === name ? "" : written;
}

function alternative(element, role, traversal) {
  if (traversal.seen?.has(element) || isUnread(element)) return "";
  if (traversal.nested && !traversal.undrawn && isHidden(element)) return ""; // 2A
  const referenced = referencedName(element, traversal); // 2B
  if (tidy(referenced) !== "") return referenced;
  if (traversal.nested) {
    const value = embeddedValue(element, role); // 2C
    if (value !== null) return value;
  }
  const label = attribute(element, "aria-label"); // 2D
  if (label !== null && tidy(label) !== "" && !isSlot(element)) return label;
  return ownAlternative(element, role, traversal);
}

// A slot is not rendered itself: ARIA on it says nothing.
const isSlot = (element) => tagOf(element) === "slot" && isHtml(element);

function ownAlternative(element, role, traversal) {
  traversal.seen?.add(element);
  const native = role === "none" ? "" : nativeName(element, role, traversal); // 2E
  if (native !== null && native !== "") return native;
  if (native === null && readsContent(element, role, traversal)) { // 2F
    const content = contentOf(element, traversal);
    if (traversal.nested && content !== "") return content;
    if (content.trim() !== "") return content.trim();
  }
  return tooltipOf(element, role); // 2I
}

const readsContent = (element, role, traversal) =>
  traversal.nested || NAMED_BY_CONTENT.has(role);

/** Whether nobody sees or hears the element. */
const isHidden = (element) =>
  attribute(element, "aria-hidden") === "true" || (!isDrawn(element) && !mayHoldDrawn(element));

/** Whether the text directly in the element is not drawn, though its children may be. */
const hidesOwnText = (element) => !isRendered(element, WITH_VISIBILITY) && !isDrawn(element);

function referencedName(element, traversal) {
  if (traversal.referenced || isSlot(element) || !hasAttribute(element, "aria-labelledby")) {
    return "";
  }
  const targets = labelledByOf(element);
  return targets?.length ? referencedText(targets, traversal) : "";
}

/** The text of elements that an attribute refers to, hidden ones included. */
function referencedText(targets, traversal) {
  const parts = [];
  for (const target of targets) {
    const seen = traversal.seen ?? new Set();
    parts.push(targetText(target, new Traversal(seen, true, true, !isDrawn(target))));
  }
  return parts.join(" ");
}

// A target that is aria-hidden but drawn is read; what is aria-hidden inside it is not.
function targetText(target, into) {
  const hidden = attribute(target, "aria-hidden") === "true";
  if (!hidden || into.undrawn) return alternative(target, roleOf(target), into);
  const label = attribute(target, "aria-label");
  if (label !== null && tidy(label) !== "") return label;
  return ownAlternative(target, roleOf(target), into);
}

/** What a control inside a label contributes: its value; null when it is no such control. */
function embeddedValue(element, role) {
  if (role === "textbox" || role === "searchbox") return plainValue(element) ?? null;
  if (role === "combobox" || role === "listbox") return choiceOf(element);
  if (RANGES.has(role)) return rangeText(element);
  return null;
}

/** The text of a name's content: children in the flat tree, generated content, owned elements. */
function contentOf(element, traversal) {
  const into = traversal.below(element);
  const parts = [generatedText(element, "::before")];
  const quiet = traversal.nested && !traversal.undrawn && hidesOwnText(element);
  for (const node of flatChildren(element)) {
    if (isText(node)) parts.push(quiet ? "" : dataOf(node));
    else if (isElement(node)) parts.push(childText(node, into));
  }
  for (const owned of ownedBy(element)) parts.push(` ${childText(owned, into)} `);
  parts.push(generatedText(element, "::after"));
  return parts.join("");
}

function childText(element, traversal) {
  if (tagOf(element) === "br") return " ";
  const role = roleOf(element);
  if (role === "group" && isBranch(element)) return "";
  const text = alternative(element, role, traversal);
  return text !== "" && isApart(element) ? ` ${text} ` : text;
}

/** Whether the element holds the items under an item of a tree: they are not in its name. */
function isBranch(element) {
  const parent = flatParent(element);
  return parent !== null && explicitRole(parent) === "treeitem";
}

const INLINE = new Set(["inline", "contents", "ruby", "ruby-text", "none", ""]);

/** Whether the element's text stands apart from its neighbours: any display but inline. */
const isApart = (element) => !INLINE.has(getComputedStyle(element).display) || isReplaced(element);
const isReplaced = (element) => REPLACED.has(tagOf(element));
const REPLACED = new Set(["img", "input", "select", "textarea", "meter", "progress", "iframe"]);

const ownedBy = (element) =>
  hasAttribute(element, "aria-owns") ? referredBy(element, "aria-owns") : [];

/** The text of a pseudo-element's `content`, alternative text taking precedence. */
function generatedText(element, pseudo) {
  if (!generatesContent()) return "";
  const style = getComputedStyle(element, pseudo);
  const text = contentText(style.content, element);
  if (text === "") return "";
  const apart = !INLINE.has(style.display) || style.content.includes('" / ');
  return apart ? ` ${text} ` : text;
}

const CONTENT_PART = /"((?:[^"\\]|\\.)*)"|attr\(([^)]*)\)|(\/)|[a-z-]+\([^)]*\)|[^\s"]+/gs;

/** The strings of a computed `content` value: those after the slash if there is one. */
function contentText(content, element) {
  if (content === "none" || content === "normal" || content === "") return "";
  let text = "";
  for (const [, string, name, slash] of content.matchAll(CONTENT_PART)) {
    if (slash) text = "";
    else if (string !== undefined) text += unescapeString(string);
    else if (name !== undefined) text += attribute(element, name.trim()) ?? "";
  }
  return text;
}

const unescapeString = (string) =>
  string.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gis, (_, code, character) =>
    code ? String.fromCodePoint(parseInt(code, 16)) : character);

/** Whether any style rule of the document generates content; unknown outside a walk. */
const generatesContent = () => currentWalk?.generates ?? true;

const verdicts = new WeakMap();

/** Whether a document or shadow root has a rule for ::before or ::after. */
const hasGeneratingSheet = (root) =>
  [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])].some(isGenerating);

function isGenerating(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return true; // the style sheet of another origin cannot be read: it may
  }
  const known = verdicts.get(sheet);
  if (known?.length === rules.length) return known.verdict;
  const verdict = [...rules].some(generates);
  verdicts.set(sheet, { length: rules.length, verdict });
  return verdict;
}

const generates = (rule) =>
  rule.styleSheet ? isGenerating(rule.styleSheet) : /:(before|after)\b/.test(rule.cssText);
