/** Number of curves of a kind that are shown at first. */
const SHOWN_AT_FIRST = 6;

/** The panels of all curves that are shown, and the list in which they are chosen. */
class Panels {
  constructor(curves, runs, clock) {
    Object.assign(this, { curves, runs, clock, panels: new Map() });
    this.showFirst();
    this.listGroups();
    document.getElementById('filter').addEventListener('input', () => this.listGroups());
    this.arrange();
  }

  /** Shows the heights of roots, and the first displacements. */
  showFirst() {
    const chosen = (test) => this.curves.filter(test).slice(0, SHOWN_AT_FIRST * this.runs.length);
    const varies = ({ range: [low, high] }) => high - low > FLAT * Math.max(Math.abs(low), Math.abs(high));
    const of = (heading) => (curve) => curve.group.endsWith(`: ${heading}`) && varies(curve);
    const names = new Set();
    for (const curve of this.curves.filter(of('displacements'))) if (names.size < SHOWN_AT_FIRST) names.add(curve.group + curve.name);
    let first = this.curves.filter((curve) => names.has(curve.group + curve.name));
    first = first.concat(chosen((curve) => of('root')(curve) && curve.name === 'root.z'), chosen(of('contacts')).filter((curve) => curve.name === 'force'));
    if (first.length === 0) first = this.curves.slice(0, 4);
    for (const curve of first) curve.shown = true;
  }

  /** Sorts the shown curves into panels by their units. */
  arrange() {
    const units = new Set(this.curves.filter((curve) => curve.shown).map((curve) => curve.unit));
    for (const [unit, panel] of this.panels) if (!units.has(unit)) { panel.element.remove(); this.panels.delete(unit); }
    for (const unit of units) {
      if (!this.panels.has(unit)) {
        const panel = new Panel(unit, this.clock);
        document.getElementById('panels').append(panel.element);
        this.panels.set(unit, panel);
      }
      const panel = this.panels.get(unit);
      panel.curves = this.curves.filter((curve) => curve.shown && curve.unit === unit);
      // The same curve of another run has the same colour.
      const names = [...new Set(panel.curves.map((curve) => curve.group + curve.name))];
      for (const curve of panel.curves) curve.color = COLORS[names.indexOf(curve.group + curve.name) % COLORS.length];
      panel.list(this.runs);
    }
    this.draw();
  }

  draw() { for (const panel of this.panels.values()) panel.draw(); }

  listGroups() {
    const wanted = document.getElementById('filter').value.toLowerCase();
    const groups = new Map();
    for (const curve of this.curves) {
      if (!`${curve.group} ${curve.name}`.toLowerCase().includes(wanted)) continue;
      if (!groups.has(curve.group)) groups.set(curve.group, new Map());
      const names = groups.get(curve.group);
      names.set(curve.name, [...(names.get(curve.name) ?? []), curve]);
    }
    const box = (text, curves) => {
      const label = document.createElement('label');
      const input = label.appendChild(document.createElement('input'));
      input.type = 'checkbox';
      input.checked = curves.every((curve) => curve.shown);
      input.addEventListener('change', () => {
        for (const curve of curves) Object.assign(curve, { shown: input.checked, hidden: false });
        this.listGroups();
        this.arrange();
      });
      label.append(` ${text}`);
      return label;
    };
    document.getElementById('groups').replaceChildren(...[...groups].map(([group, names]) => {
      const line = document.createElement('div');
      const head = line.appendChild(box('', [...names.values()].flat()));
      head.appendChild(document.createElement('b')).textContent = group;
      line.append(document.createElement('br'), ...[...names].map(([name, curves]) => box(name, curves)));
      return line;
    }));
  }
}
