/* --- sizes: the table that `sleeptune status --details` prints --- */

async function sizes() {
  try {
    const section = (await read("/v1/sizes")).section, table = make("table", undefined, "columns");
    const isNumber = (i) => i > 0 && section.rows.every((one) => /^[0-9]/.test(one.cells[i]));
    const put = (parent, cells, head) => parent.append(...cells.map((text, i) => {
      const cell = make(head || i === 0 ? "th" : "td", text, isNumber(i) ? "number" : "");
      if (head || i === 0) cell.scope = head ? "col" : "row";
      return cell;
    }));
    if (section.rows.length > 0) {
      put(table.createTHead().insertRow(), section.columns, true);
      const body = table.createTBody();
      for (const one of section.rows) put(body.insertRow(), one.cells, false);
      at("sizes").replaceChildren(make("h2", section.title), table);
    }
    at("sizes").hidden = section.rows.length === 0;
  } catch { /* no history: the time line says so */ }
  setTimeout(sizes, 60000);
}

