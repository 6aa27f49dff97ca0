/* Sorting, filtering and tooltips of the page. Everything can be read without this. */
(function () {
  "use strict";

  function value(row, column) {
    var cell = row.cells[column], v = cell.getAttribute("data-v");
    return v === null ? cell.textContent : Number(v);
  }

  function sort(table, heading) {
    var column = heading.cellIndex, body = table.tBodies[0];
    var numbers = heading.classList.contains("n");
    var now = heading.getAttribute("aria-sort");
    var down = now ? now === "ascending" : numbers;
    var rows = Array.prototype.slice.call(body.rows).map(function (row, i) {
      return { row: row, at: i, v: value(row, column) };
    });
    rows.sort(function (a, b) {
      var order = numbers ? a.v - b.v : String(a.v).localeCompare(String(b.v));
      return (down ? -order : order) || a.at - b.at;
    });
    rows.forEach(function (r) { body.appendChild(r.row); });
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th) { th.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  document.querySelectorAll("table.sortable").forEach(function (table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (th) {
      /* Not a <button>: on paper, headings are repeated without form controls. */
      var button = document.createElement("span");
      button.setAttribute("role", "button");
      button.tabIndex = 0;
      button.textContent = th.textContent;
      th.textContent = "";
      th.appendChild(button);
      button.addEventListener("click", function () { sort(table, th); });
      button.addEventListener("keydown", function (event) {
        if (event.key !== "Enter" && event.key !== " ")
          return;
        event.preventDefault();
        sort(table, th);
      });
    });
  });

  var filter = document.getElementById("filter");
  filter.parentNode.hidden = false;
  filter.addEventListener("input", function () {
    var wanted = filter.value.toLowerCase();
    function show(element, text) {
      element.hidden = text.toLowerCase().indexOf(wanted) < 0;
    }
    document.querySelectorAll("table.sortable tbody tr").forEach(function (row) { show(row, row.cells[0].textContent); });
    document.querySelectorAll(".bar-row").forEach(function (row) { show(row, row.firstElementChild.textContent); });
  });

  /* Titles of drawings appear at once, and follow the pointer. */
  var tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.appendChild(tip);
  document.querySelectorAll("svg title").forEach(function (title) {
    var shape = title.parentNode, text = title.textContent;
    shape.setAttribute("aria-label", text);
    shape.removeChild(title);
    shape.addEventListener("pointermove", function (event) {
      tip.textContent = text;
      tip.hidden = false;
      tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
      tip.style.top = Math.max(0, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
    });
    shape.addEventListener("pointerleave", function () { tip.hidden = true; });
  });
}());
