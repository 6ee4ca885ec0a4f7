// What the walker reads of a document, and from where.
//
// The parts of the walker share one function scope in an isolated world (see __init__.py for the
// order). A page cannot reach that world's objects, but named members still shadow properties
// there: `form.firstChild` is the form's <input name=firstChild>. So accessors are taken from
// the prototypes once and applied to nodes.

const bound = (method) => Function.prototype.call.bind(method);
const getter = (prototype, name) =>
  bound(Object.getOwnPropertyDescriptor(prototype, name).get);

const firstChildOf = getter(Node.prototype, "firstChild");
const nextSiblingOf = getter(Node.prototype, "nextSibling");
const parentOf = getter(Node.prototype, "parentNode");
const typeOf = getter(Node.prototype, "nodeType");
const documentOf = getter(Node.prototype, "ownerDocument");
const isConnected = getter(Node.prototype, "isConnected");
const rootOf = bound(Node.prototype.getRootNode);
const dataOf = getter(CharacterData.prototype, "data");
const tagOf = getter(Element.prototype, "localName");
const namespaceOf = getter(Element.prototype, "namespaceURI");
const openRootOf = getter(Element.prototype, "shadowRoot");
const slotOf = getter(Element.prototype, "assignedSlot");
const labelledByOf = getter(Element.prototype, "ariaLabelledByElements");
const describedByOf = getter(Element.prototype, "ariaDescribedByElements");
const attribute = bound(Element.prototype.getAttribute);
const hasAttribute = bound(Element.prototype.hasAttribute);
const attributeNames = bound(Element.prototype.getAttributeNames);
const matches = bound(Element.prototype.matches);
const closest = bound(Element.prototype.closest);
const isRendered = bound(Element.prototype.checkVisibility);
const isEditable = getter(HTMLElement.prototype, "isContentEditable");
const tabIndexOf = getter(HTMLElement.prototype, "tabIndex");
const isElement = (node) => typeOf(node) === Node.ELEMENT_NODE;
const isText = (node) => typeOf(node) === Node.TEXT_NODE;
const isHtml = (element) => namespaceOf(element) === "http://www.w3.org/1999/xhtml";

/** All elements under a document, shadow root or element, in document order. */
function allOf(root, selector) {
  const owner = typeOf(root) === Node.DOCUMENT_NODE ? Document
    : typeOf(root) === Node.DOCUMENT_FRAGMENT_NODE ? DocumentFragment : Element;
  return owner.prototype.querySelectorAll.call(root, selector);
}

/** The elements that the ids in an attribute name, in the element's own tree. */
function referredBy(element, name) {
  const root = rootOf(element);
  const owner = typeOf(root) === Node.DOCUMENT_NODE ? Document : DocumentFragment;
  return tidy(attribute(element, name) ?? "").split(" ")
    .map((id) => id && owner.prototype.getElementById.call(root, id)).filter(Boolean);
}

// Host -> closed shadow root, as far as the far side has told us (see `Walker.learn`).
const closedRoots = new WeakMap();

/** The element's shadow root, closed ones included once they are known. */
const shadowOf = (element) => openRootOf(element) ?? closedRoots.get(element) ?? null;

const slotted = bound(HTMLSlotElement.prototype.assignedNodes);

/** The element's children in the flat tree: shadow tree, slotted nodes or light children. */
function flatChildren(element) {
  if (tagOf(element) === "slot" && isHtml(element)) {
    const nodes = slotted(element);
    if (nodes.length) return nodes;
  }
  return childNodes(shadowOf(element) ?? element);
}

/** The node's own children. */
function childNodes(parent) {
  const nodes = [];
  for (let node = firstChildOf(parent); node; node = nextSiblingOf(node)) nodes.push(node);
  return nodes;
}

/** The element's parent in the flat tree, or null at the top of its document. */
function flatParent(element) {
  const slot = slotOf(element);
  if (slot) return slot;
  const parent = parentOf(element);
  if (!parent) return null;
  if (typeOf(parent) === Node.DOCUMENT_FRAGMENT_NODE) return parent.host ?? null;
  return isElement(parent) ? parent : null;
}

/** The nearest flat-tree ancestor that `test` accepts. */
function flatClosest(element, test) {
  for (let node = flatParent(element); node; node = flatParent(node)) {
    if (test(node)) return node;
  }
  return null;
}

const WITH_VISIBILITY = { visibilityProperty: true };

/** Whether the element is drawn: it has a box (or is `display: contents`) and is visible. */
function isDrawn(element) {
  if (isRendered(element, WITH_VISIBILITY)) return true;
  const style = getComputedStyle(element);
  return style.display === "contents" && style.visibility === "visible" && !isInUndrawn(element);
}

/** Whether the text right in an element is drawn. */
const showsText = (element) => isDrawn(element) &&
  !(tagOf(element) === "details" && isHtml(element) && !hasAttribute(element, "open"));

/** Whether the subtree of an element that is itself not drawn may still have drawn parts. */
function mayHoldDrawn(element) {
  const style = getComputedStyle(element);
  if (style.display === "contents") return !isInUndrawn(element);
  return style.visibility !== "visible" && isRendered(element);
}

function isInUndrawn(element) {
  const box = flatClosest(element, (node) => getComputedStyle(node).display !== "contents");
  return box !== null && !isRendered(box);
}

const UNREAD = new Set(["script", "style", "template", "noscript", "head", "meta", "link", "base"]);

/** Whether a text alternative never includes the element, referenced or not. */
const isUnread = (element) => UNREAD.has(tagOf(element));

/** A value without the white space that HTML collapses; other spaces are kept. */
const tidy = (text) =>
  UNTIDY.test(text) ? text.replace(/[ \t\n\f\r]+/g, " ").replace(/^ | $/g, "") : text;
const UNTIDY = /[\t\n\f\r]|  |^ | $/;

/** A text as it is compared and shown: white space of any kind and length is one blank. */
const even = (text) => tidy(OTHER_SPACE.test(text) ? text.replace(OTHER_SPACES, " ") : text);
const OTHER_SPACE = /[^\S \ufeff]/;
const OTHER_SPACES = /[^\S \ufeff]/g;

const TEXT_LIMIT_BYTES = 1024;
const scratch = new Uint8Array(TEXT_LIMIT_BYTES);
const encoder = new TextEncoder();

/** The text's longest prefix of at most 1 KiB in UTF-8. */
function cut(text) {
  if (text.length * 3 <= TEXT_LIMIT_BYTES) return text;
  return text.slice(0, encoder.encodeInto(text, scratch).read);
}
