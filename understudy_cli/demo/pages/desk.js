// The desk: a list, one open ticket, and every change told to the server at once.

const at = (id) => document.getElementById(id);
let desk = { tickets: [], people: [], priorities: [], statuses: [], templates: [] };
let open = null; // the ticket that is shown

async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const result = await answer.json();
  if (!answer.ok) throw new Error(result.problem);
  return result;
}

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function say(text, bad = false) {
  at('said').textContent = text;
  at('said').classList.toggle('bad', bad);
}

function row(ticket) {
  const state = ticket.status === 'Solved' ? 'Solved' : ticket.priority;
  const link = make('a', { href: '#' + ticket.id, id: 'row-' + ticket.id },
    make('strong', { textContent: ticket.subject }),
    make('small', { textContent: `${ticket.id} · ${ticket.customer} · ${ticket.assignee}` }),
    make('span', { className: 'badge ' + state.toLowerCase(), textContent: state }));
  if (open && open.id === ticket.id) link.setAttribute('aria-current', 'true');
  return make('li', {}, link);
}

function drawList() {
  const wanted = at('search').value.trim().toLowerCase();
  const shown = desk.tickets.filter((ticket) =>
    [ticket.id, ticket.subject, ticket.customer, ticket.assignee].join(' ').toLowerCase().includes(wanted));
  const rows = shown.map(row);
  if (!rows.length) rows.push(make('li', { className: 'empty', textContent: 'No ticket matches.' }));
  at('tickets').replaceChildren(...rows);
  at('count').textContent = `(${shown.length})`;
}

function message(entry) {
  const kind = entry.internal ? 'note' : entry.ours ? 'ours' : '';
  return make('li', { className: kind },
    make('small', { textContent: entry.internal ? `${entry.author} · internal note` : entry.author }),
    entry.text);
}

function choices(select, values, chosen) {
  select.replaceChildren(...values.map((value) => make('option', { value, textContent: value })));
  select.value = chosen;
}

function drawTicket() {
  at('welcome').hidden = open !== null;
  at('ticket').hidden = open === null;
  if (open === null) return;
  at('subject').textContent = open.subject;
  at('from').textContent = `${open.id} · ${open.customer} <${open.email}>`;
  choices(at('assignee'), desk.people, open.assignee);
  choices(at('priority'), desk.priorities, open.priority);
  choices(at('status'), desk.statuses, open.status);
  at('thread').replaceChildren(...open.messages.map(message));
  at('thread').scrollTop = at('thread').scrollHeight;
}

function replace(ticket) {
  desk.tickets = desk.tickets.map((each) => (each.id === ticket.id ? ticket : each));
  if (open && open.id === ticket.id) open = ticket;
  drawList();
  drawTicket();
}

function show() {
  const found = desk.tickets.find((ticket) => '#' + ticket.id === location.hash) ?? null;
  const changed = found?.id !== open?.id;
  open = found;
  document.title = open ? `${open.subject} - Fernhill Help Desk` : 'Fernhill Help Desk';
  if (changed) {
    at('reply-text').value = '';
    at('internal').checked = false;
    at('order').src = open ? `order.html?id=${open.order}` : 'about:blank';
    say('');
  }
  drawList();
  drawTicket();
}

async function change(fields, done) {
  try {
    replace(await ask('PATCH', `api/tickets/${open.id}`, fields));
    say(done);
  } catch (problem) {
    say(problem.message, true);
    drawTicket();
  }
}

function insert(template) {
  const box = at('reply-text');
  const text = template.text.replaceAll('{name}', open.customer.split(' ')[0]);
  box.setRangeText(text, box.selectionStart, box.selectionEnd, 'end');
  box.focus();
}

async function send(event) {
  event.preventDefault();
  const text = at('reply-text').value;
  const internal = at('internal').checked;
  if (!text.trim()) return say('Write something first.', true);
  at('send').disabled = true;
  try {
    replace(await ask('POST', `api/tickets/${open.id}/replies`, { text, internal }));
    at('reply-text').value = '';
    say(internal ? 'Note kept.' : `Reply sent to ${open.customer}.`);
  } catch (problem) {
    say(problem.message, true);
  }
  at('send').disabled = false;
}

function closeTicket() {
  if (confirm(`Close ${open.id}? ${open.customer} will be told.`)) {
    change({ status: 'Solved' }, `${open.id} is closed.`);
  }
}

async function start() {
  desk = await ask('GET', 'api/desk');
  at('templates').replaceChildren(...desk.templates.map((template) => make('button', {
    type: 'button', id: 'template-' + template.id, textContent: template.title, onclick: () => insert(template),
  })));
  show();
  document.body.dataset.ready = 'true';
}

at('search').oninput = drawList;
at('search').form.onsubmit = (event) => event.preventDefault();
at('assignee').onchange = (event) => change({ assignee: event.target.value }, `Assigned to ${event.target.value}.`);
at('priority').onchange = (event) => change({ priority: event.target.value }, `Priority is ${event.target.value}.`);
at('status').onchange = (event) => change({ status: event.target.value }, `Status is ${event.target.value}.`);
at('close-ticket').onclick = closeTicket;
at('reply').onsubmit = send;
addEventListener('hashchange', show);
start();
