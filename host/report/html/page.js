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

  /* A flame graph: a click zooms to a box, or back to one that it is in; a search says its share. */
  document.querySelectorAll(".flame").forEach(function (flame) {
    var svg = flame.querySelector("svg"), width = svg.viewBox.baseVal.width;
    var search = flame.querySelector("input"), said = flame.querySelector("output");
    var boxes = Array.prototype.map.call(svg.querySelectorAll("g"), function (g) {
      var rect = g.querySelector("rect");
      return {
        g: g, rect: rect, text: g.querySelector("text"), name: g.getAttribute("data-n"),
        total: Number(g.getAttribute("data-t")), depth: Number(g.getAttribute("data-d")),
        from: Number(rect.getAttribute("x")), wide: Number(rect.getAttribute("width"))
      };
    });

    function show(box) {
      boxes.forEach(function (b) {
        var around = b.depth < box.depth && b.from <= box.from + .01 && b.from + b.wide >= box.from + box.wide - .01;
        var inside = b.depth >= box.depth && b.from >= box.from - .01 && b.from + b.wide <= box.from + box.wide + .01;
        var x = inside ? (b.from - box.from) / box.wide * width : 0;
        var wide = inside ? b.wide / box.wide * width : width;
        var letters = wide > 24 ? Math.floor((wide - 6) / 6.2) : 0;
        b.g.toggleAttribute("hidden", !(around || inside) || wide < .3);
        b.g.classList.toggle("around", around);
        b.rect.setAttribute("x", x);
        b.rect.setAttribute("width", wide);
        b.text.setAttribute("x", x + 3);
        b.text.textContent = letters < 3 ? "" : b.name.length > letters ? b.name.slice(0, letters - 1) + "\u2026" : b.name;
      });
    }

    function find() {
      var wanted = search.value.toLowerCase(), found = 0, within = Infinity;
      flame.classList.toggle("searched", wanted !== "");
      boxes.forEach(function (b) {
        var hit = wanted !== "" && b.depth > 0 && b.name.toLowerCase().indexOf(wanted) >= 0;
        within = b.depth <= within ? Infinity : within;
        b.g.classList.toggle("hit", hit);
        if (!hit || within < Infinity)
          return;
        found += b.total;
        within = b.depth;
      });
      said.textContent = wanted === "" ? "" : (found / boxes[0].total * 100).toFixed(2) + " % of all found";
    }

    boxes.forEach(function (b) { b.g.addEventListener("click", function () { show(b); }); });
    flame.querySelector("button").addEventListener("click", function () { show(boxes[0]); });
    search.addEventListener("input", find);
    flame.querySelector(".flame-tools").hidden = false;
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

  /* With the address of a viewer in a browser, names of operations and waits lead to their zones there. */
  function showLinks(address) {
    document.querySelectorAll("#op-table tbody tr, #wait-table tbody tr").forEach(function (row) {
      var cell = row.cells[0], name = cell.textContent, link = document.createElement("a");
      cell.textContent = "";
      cell.appendChild(address ? link : document.createTextNode(name));
      link.textContent = name;
      link.href = address + "#find=" + encodeURIComponent(name);
      link.target = "tendril-viewer";
      link.rel = "noreferrer";
    });
  }

  var label = document.createElement("label"), viewer = document.createElement("input");
  label.className = "viewer";
  label.textContent = "Viewer ";
  label.title = "The address that tendril view --web printed: names become links into it";
  viewer.id = "viewer";
  viewer.placeholder = "http://127.0.0.1:8090/?token=...";
  label.appendChild(viewer);
  filter.parentNode.parentNode.appendChild(label);
  viewer.addEventListener("input", function () {
    var address = viewer.value.trim().split("#")[0];
    showLinks(/^https?:\/\//.test(address) ? address : "");
  });
}());
