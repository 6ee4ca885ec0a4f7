// One order, shown in the ticket's frame.

const number = new URLSearchParams(location.search).get('id') ?? '';
const put = (id, text) => { document.getElementById(id).textContent = text; };

fetch('api/orders/' + encodeURIComponent(number)).then((answer) => answer.json()).then((order) => {
  put('number', number);
  put('where', order.where);
  for (const [name, price] of order.lines) {
    const row = document.getElementById('lines').insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = price;
  }
  document.getElementById('copy').onclick = () => put('copied', 'Copied ' + order.tracking);
});
