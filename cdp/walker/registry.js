// The walker's face: what the far side calls. Elements stay in this world; a number and the
// generation that it was given out under name one of them.

const Walker = {
  world: Math.random().toString(36).slice(2), // tells this document's numbers from another's
  generation: "",
  elements: new Map(),
  frames: [], // those of the last walk that must be walked from their own side

  /**
   * Walk the document, or the part under element `within` of the present generation.
   *
   * With a `generation` the numbers of this walk, and no earlier ones, resolve from now on.
   * Returns {world, rows, frames, count} or {error}: `frames` counts the frames to be walked
   * from their own side, `count` what the browser's search for "<" finds in all that could be
   * reached.
   */
  walk({ generation = "", interactive = false, within = null } = {}) {
    const walk = new Walk({ interactive });
    const start = within === null ? null : Walker.node(Walker.generation, within);
    if (within !== null && !start) return { error: "gone" };
    currentWalk = walk;
    try {
      return Walker.perform(walk, start, generation);
    } catch (error) {
      if (error instanceof LimitError) return { error: "too_large", reason: error.message };
      throw error;
    } finally {
      currentWalk = null;
    }
  },

  perform(walk, start, generation) {
    walk.survey(document);
    walk.focused = focusedIn(document);
    if (start) walk.part(start);
    else walk.document(document, 0);
    if (generation) Walker.adopt(generation, walk.elements);
    Walker.frames = walk.frames;
    const { rows, frames, count } = walk;
    return { world: Walker.world, rows, frames: frames.length, count };
  },

  adopt(generation, elements) {
    Walker.generation = generation;
    Walker.elements = elements;
  },

  /** Forget all numbers. */
  forget() {
    Walker.adopt("", new Map());
  },

  /** The element of a number; null when the generation is over or the element is gone. */
  node(generation, number) {
    const element = generation === Walker.generation ? Walker.elements.get(number) : undefined;
    return element && isConnected(element) && documentOf(element).defaultView ? element : null;
  },

  /** The role and name that an element's row would carry now. */
  describe(element) {
    const role = shownRole(element);
    return [role, cut(shownName(element, role))];
  },

  /** Whether an element and all around it are drawn and not kept from assistive technology. */
  isExposed(element) {
    if (tagOf(element) === "option") return Walker.isExposed(parentOf(element));
    if (!isDrawn(element)) return false;
    const out = (node) => attribute(node, "aria-hidden") === "true" || hasAttribute(node, "inert");
    return !out(element) && flatClosest(element, out) === null;
  },

  /** Take in closed shadow roots that the far side found. */
  learn(...roots) {
    for (const root of roots) closedRoots.set(root.host, root);
  },
};

/** The role that a row of the element would carry. */
function shownRole(element) {
  const role = roleOf(element);
  if (INTERACTIVE.has(role) || STRUCTURE.has(role)) return role;
  return isClickable(element, attributeNames(element)) ? "clickable" : role;
}
