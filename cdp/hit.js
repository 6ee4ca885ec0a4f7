// What is under a point, for the record: tag, role, name and origin. Runs in our isolated
// world. Properties are read by way of prototypes, because a page may cover those of a
// document or a form with names that it gives to its elements.
(() => {
  if (globalThis.understudyHit) return;
  const TEXT_LIMIT = 1024;
  const FRAME_DEPTH = 16;

  const getter = (type, name) => {
    const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
    return object => get.call(object);
  };
  const method = (type, name) => {
    const call = type.prototype[name];
    return (object, ...given) => call.apply(object, given);
  };
  const parentOf = getter(Node, 'parentNode');
  const ownerOf = getter(Node, 'ownerDocument');
  const rootOf = method(Node, 'getRootNode');
  const tagOf = getter(Element, 'localName');
  const shadowOf = getter(Element, 'shadowRoot');
  const attribute = method(Element, 'getAttribute');
  const boxOf = method(Element, 'getBoundingClientRect');
  const find = method(Document, 'elementFromPoint');
  const findInShadow = method(ShadowRoot, 'elementFromPoint');

  const INTERACTIVE = new Set(['button', 'checkbox', 'combobox', 'link', 'listbox', 'menuitem',
    'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'searchbox', 'slider', 'spinbutton',
    'switch', 'tab', 'textbox', 'treeitem']);
  const NAMED_BY_TEXT = new Set(['button', 'checkbox', 'heading', 'link', 'menuitem',
    'menuitemcheckbox', 'menuitemradio', 'option', 'radio', 'switch', 'tab', 'treeitem']);
  const ROLES = {article: 'article', button: 'button', dialog: 'dialog', fieldset: 'group',
    form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading',
    h6: 'heading', img: 'img', li: 'listitem', main: 'main', nav: 'navigation', ol: 'list',
    optgroup: 'group', option: 'option', p: 'paragraph', progress: 'progressbar',
    summary: 'button', table: 'table', td: 'cell', textarea: 'textbox', th: 'columnheader',
    tr: 'row', ul: 'list'};
  const INPUTS = {button: 'button', checkbox: 'checkbox', image: 'button', number: 'spinbutton',
    radio: 'radio', range: 'slider', reset: 'button', search: 'searchbox', submit: 'button'};

  const roleOf = element => {
    const given = (attribute(element, 'role') || '').trim().split(/\s+/)[0];
    if (given) return given.toLowerCase().slice(0, 64);
    const tag = tagOf(element);
    if (tag === 'a' || tag === 'area') return attribute(element, 'href') === null ? '' : 'link';
    if (tag === 'input') return INPUTS[element.type] || 'textbox';
    if (tag === 'select') return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    return ROLES[tag] || '';
  };

  const textOf = node => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    let text = '';
    while (text.length < 4 * TEXT_LIMIT && walker.nextNode()) text += walker.currentNode.data;
    return text;
  };
  const tidy = text => text.replace(/\s+/g, ' ').trim().slice(0, TEXT_LIMIT);

  const labelledBy = element => (attribute(element, 'aria-labelledby') || '').split(/\s+/)
    .filter(Boolean).slice(0, 16)
    .map(id => rootOf(element).getElementById?.(id)).filter(Boolean).map(textOf).join(' ');
  const labels = element => tagOf(element) === 'form' ? '' :
    [...(element.labels || [])].slice(0, 16).map(textOf).join(' ');
  const ownText = (element, role) => {
    if (tagOf(element) === 'input' && role === 'button')
      return element.value || attribute(element, 'alt') ||
        {submit: 'Submit', reset: 'Reset'}[element.type] || '';
    if (tagOf(element) === 'img') return attribute(element, 'alt') || '';
    return NAMED_BY_TEXT.has(role) ? textOf(element) : '';
  };
  const nameOf = (element, role) => {
    for (const source of [labelledBy, e => attribute(e, 'aria-label') || '', labels,
      e => ownText(e, role), e => attribute(e, 'title') || '',
      e => attribute(e, 'placeholder') || '']) {
      const name = tidy(source(element));
      if (name) return name;
    }
    return '';
  };

  const upwards = node => {  // out of a shadow tree by way of its host
    const parent = parentOf(node);
    return parent?.nodeType === Node.DOCUMENT_FRAGMENT_NODE ? parent.host : parent;
  };
  const control = element => {
    for (let node = element; node && node.nodeType === 1; node = upwards(node))
      if (INTERACTIVE.has(roleOf(node))) return node;
    return element;
  };
  const describe = element => {
    const chosen = control(element);
    const role = roleOf(chosen);
    return {tag: tagOf(chosen), role, name: nameOf(chosen, role),
      origin: ownerOf(chosen).defaultView?.origin ?? 'null'};
  };

  const isFrame = element => ['iframe', 'frame'].includes(tagOf(element));
  const within = (frame, x, y) => {
    const box = boxOf(frame);
    const scale = frame.offsetWidth ? box.width / frame.offsetWidth : 1;
    return [(x - box.left) / scale - frame.clientLeft, (y - box.top) / scale - frame.clientTop];
  };
  const deepest = (x, y) => {
    let scope = document;
    for (let depth = 0; depth < FRAME_DEPTH; depth++) {
      let element = find(scope, x, y);
      for (let shadow = element && shadowOf(element); shadow; shadow = shadowOf(element)) {
        const inner = findInShadow(shadow, x, y);
        if (!inner || inner === element) break;
        element = inner;
      }
      if (!element || !isFrame(element)) return {element, x, y};
      [x, y] = within(element, x, y);
      if (!element.contentDocument) return {element, x, y, elsewhere: true};
      scope = element.contentDocument;
    }
    return {element: null, x, y};
  };

  const isSame = (found, x, y) => found && found.x === x && found.y === y;

  // `kept` is what the first press that nobody asked about yet was on; `skip` is how many
  // presses are still to come of a click that was asked about before it arrived.
  const hit = globalThis.understudyHit = {kept: null, skip: 0, frame: null};
  addEventListener('mousedown', event => {
    if (!event.isTrusted) return;
    if (hit.skip > 0) { hit.skip--; return; }
    if (isSame(hit.kept, event.clientX, event.clientY)) { hit.kept.presses++; return; }
    const {clientX: x, clientY: y} = event;
    hit.kept = {x, y, presses: 1, what: describe(event.composedPath()[0])};
  }, {capture: true, passive: true});

  // What is under the point, of which `presses` presses were sent along with the question. If
  // one came first, after which the page may look different: what it was on.
  hit.test = (x, y, presses) => {
    const kept = hit.kept;
    hit.kept = null;
    if (presses && isSame(kept, x, y)) {
      hit.skip = presses - kept.presses;
      return kept.what;
    }
    const found = deepest(x, y);
    hit.frame = found.elsewhere ? found.element : null;
    hit.skip = found.element && ownerOf(found.element) === document && !hit.frame ? presses : 0;
    if (!found.element) return {tag: '', role: '', name: '', origin: origin};
    const where = found.elsewhere ? {elsewhere: true, x: found.x, y: found.y} : {};
    return {...describe(found.element), ...where};
  };
})();
