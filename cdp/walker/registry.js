// The walker's face: what the far side calls. Elements stay in this world; a number and the
// generation that it was given out under name one of them.

const Walker = {
  world: Math.random().toString(36).slice(2), // tells this document's numbers from another's
  generation: "",
  interactive: false,
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
    const walk = new Walk(interactive);
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
    if (generation) Object.assign(Walker, {
      generation, interactive: walk.interactive, elements: walk.elements,
    });
    Walker.frames = walk.frames;
    const { rows, frames, count } = walk;
    return { world: Walker.world, rows, frames: frames.length, count };
  },

  /** The element of a number; null when the generation is over or the element is gone. */
  node(generation, number) {
    const element = generation === Walker.generation ? Walker.elements.get(number) : undefined;
    return element && isConnected(element) && documentOf(element).defaultView ? element : null;
  },

  /** The role and name of the row that an element would have now, as [role, name]. */
  describe(element) {
    const walk = new Walk(Walker.interactive);
    walk.part(element);
    const row = walk.rows.find(([, , , number]) => number === numberOf.get(element));
    if (row) return [row[1], row[2]];
    const role = roleOf(element); // hidden, or nothing that has a row
    return [role, cut(even(shownName(element, role)))];
  },

  /** The accessible name of any element, "" for one that is not drawn or hidden by ARIA. */
  name(element) {
    return isExposed(element) ? nameOf(element, roleOf(element)) : "";
  },

  /** Take in closed shadow roots that the far side found. */
  learn(...roots) {
    for (const root of roots) closedRoots.set(root.host, root);
  },
};

function isExposed(element) {
  if (tagOf(element) === "option") return isExposed(parentOf(element)); // in a list that is closed
  const out = (node) => isLeftOut(node, attributeNames(node));
  return isDrawn(element) && !out(element) && flatClosest(element, out) === null;
}
