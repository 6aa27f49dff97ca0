/* The manual's search. Its index, index.js, has rows of page, anchor, title, heading, text (make_manual.py). */
'use strict';

/* How often the word occurs, up to 5. */
function manualCount(text, word) {
  let times = 0;
  for (let at = text.indexOf(word); at >= 0 && times < 5; at = text.indexOf(word, at + word.length))
    times++;
  return times;
}

/* Rows that contain all words of the query, best first: as one phrase, in a heading, in a title, often. */
function manualSearch(rows, query, limit) {
  const phrase = query.toLowerCase().split(/\s+/).filter(Boolean).join(' ');
  const words = phrase.split(' ');
  const found = [];
  if (!phrase)
    return found;
  for (const row of rows) {
    const [, , title, heading, text] = row.map((part) => part.toLowerCase());
    let score = text.includes(phrase) || heading.includes(phrase) ? 30 * words.length : 0;
    for (const word of words) {
      const times = manualCount(text, word);
      const at = (heading.includes(word) ? 20 : 0) + (title.includes(word) ? 10 : 0);
      if (!times && !at) {
        score = -1;
        break;
      }
      score += at + times;
    }
    if (score >= 0)
      found.push({row, score});
  }
  return found.sort((a, b) => b.score - a.score).slice(0, limit).map((one) => one.row);
}

/* About 160 characters of the text around the query, as [before, the words, after]. */
function manualExcerpt(text, query) {
  const lower = text.toLowerCase();
  const phrase = query.toLowerCase().split(/\s+/).filter(Boolean).join(' ');
  let words = phrase, at = lower.indexOf(phrase);
  if (at < 0) {
    words = phrase.split(' ').find((word) => lower.includes(word)) || '';
    at = Math.max(lower.indexOf(words), 0);
  }
  const from = at < 60 ? 0 : lower.lastIndexOf(' ', at - 60) + 1;
  const end = at + words.length, cut = lower.indexOf(' ', end + 100);
  return [(from ? '… ' : '') + text.slice(from, at), text.slice(at, end),
          cut < 0 ? text.slice(end) : text.slice(end, cut) + ' …'];
}

function manualStart(root, box) {
  const field = box.querySelector('input'), list = box.querySelector('ol');
  let rows = null;

  function show() {
    list.replaceChildren();
    for (const [page, anchor, title, heading, text] of rows ? manualSearch(rows, field.value, 20) : []) {
      const link = document.createElement('a'), part = document.createElement('p'), mark = document.createElement('mark');
      const [before, words, after] = manualExcerpt(text, field.value);
      link.href = root + page + (anchor ? '#' + encodeURIComponent(anchor) : '');
      link.textContent = heading === title ? title : title + ': ' + heading;
      link.addEventListener('click', () => { field.value = ''; show(); });
      mark.textContent = words;
      part.append(before, mark, after);
      list.appendChild(document.createElement('li')).append(link, part);
    }
    if (rows && field.value.trim() && !list.firstChild)
      list.appendChild(document.createElement('li')).textContent = 'Nothing has all of these words.';
  }

  /* The index is read when it is asked for; as a script, since pages in files may not read other files. */
  function load() {
    const script = document.createElement('script');
    script.src = root + 'index.js';
    script.onload = () => { rows = MANUAL; show(); };
    document.head.appendChild(script);
  }

  box.hidden = false;
  field.addEventListener('focus', load, {once: true});
  field.addEventListener('input', show);
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    } else if (event.key === 'Escape') {
      field.value = '';
      show();
      field.blur();
    } else if (event.key === 'Enter' && document.activeElement === field) {
      list.querySelector('a')?.click();
    }
  });
}

if (typeof module !== 'undefined')
  module.exports = {manualSearch, manualExcerpt};
else
  manualStart(document.currentScript.src.replace(/search\.js$/, ''), document.querySelector('search'));
