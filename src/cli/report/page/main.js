/** Colours of the runs on the page. */
const RUN_COLORS = ['var(--front)', '#d55e00', '#0072b2', '#009e73'];

/** The time that is shown, s, and the span of the plots. */
class Clock {
  constructor(start, end, changed) {
    Object.assign(this, { start, end: Math.max(end, start + 1e-6), time: start, from: start, to: Math.max(end, start + 1e-6), changed });
    Object.assign(this, { plays: false, speed: 1 });
  }

  set(time) { this.time = Math.min(this.end, Math.max(this.start, time)); this.changed(); }
  all() { [this.from, this.to] = [this.start, this.end]; this.changed(); }

  zoom(at, factor) {
    const shortest = (this.end - this.start) * 1e-5;
    if ((this.to - this.from) * factor < shortest) return;
    this.from = Math.max(this.start, at + (this.from - at) * factor);
    this.to = Math.min(this.end, at + (this.to - at) * factor);
    this.changed();
  }

  shift(by) {
    const room = Math.min(this.end - this.to, Math.max(this.start - this.from, by));
    this.from += room;
    this.to += room;
    this.changed();
  }
}

function element(parent, tag, text) {
  const made = parent.appendChild(document.createElement(tag));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The table of a run's origin and outcome, and its warnings. */
function showOutcome(run, single) {
  const parent = document.getElementById('tables');
  if (run.rows.length > 0) {
    const details = element(parent, 'details');
    details.open = single;
    element(details, 'summary', single ? 'summary' : `summary of ${run.name}`);
    const table = element(details, 'table');
    for (const [label, text] of run.rows) {
      const row = element(table, 'tr');
      element(row, 'td', label);
      element(row, 'td', text);
    }
  }
  if (run.warnings.length > 0) {
    const details = element(parent, 'details');
    details.open = true;
    element(details, 'summary', `${run.warnings.length} warnings${single ? '' : ` of ${run.name}`}`);
    for (const text of run.warnings) element(details, 'div', text).className = 'warning';
  }
}

/** The pictures of cameras; the returned function shows those of a time. */
function showPictures(runs, data) {
  const cameras = runs.flatMap((run) => run.pictures).map((camera) => {
    const figure = element(document.getElementById('pictures'), 'figure');
    const image = element(figure, 'img');
    image.alt = camera.name;
    const caption = element(figure, 'figcaption');
    const urls = camera.pictures.map((of) => URL.createObjectURL(new Blob([data.bytes(of)], { type: 'image/png' })));
    return { ...camera, image, caption, urls, shown: -1 };
  });
  return (time) => {
    for (const camera of cameras) {
      const index = lastUpTo(camera.times, time + 1e-6);
      if (index === camera.shown) continue;
      camera.shown = index;
      camera.image.src = camera.urls[index];
      const some = camera.urls.length < camera.all ? `, ${camera.urls.length} of ${camera.all} pictures` : '';
      camera.caption.textContent = `${camera.name}, ${camera.times[index].toFixed(3)} s${some}`;
    }
  };
}

function showRuns(runs, replay, changed) {
  const parent = document.getElementById('runs');
  runs.forEach((run, index) => {
    const label = element(parent, runs.length > 1 ? 'label' : 'span');
    label.className = 'run';
    if (runs.length > 1) {
      const box = element(label, 'input');
      Object.assign(box, { type: 'checkbox', checked: true });
      box.addEventListener('change', () => { replay.runs[index].shown = box.checked; changed(); });
      element(label, 'i').style.background = RUN_COLORS[index % RUN_COLORS.length];
      label.append(run.name);
    }
    if (run.failure) element(parent, 'span', run.failure).className = 'failure';
  });
}

function drawNames(canvas, names) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const pen = canvas.getContext('2d');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = '11px system-ui, sans-serif';
  pen.lineWidth = 3;
  const style = getComputedStyle(document.documentElement);
  pen.strokeStyle = style.getPropertyValue('--panel');
  pen.fillStyle = style.getPropertyValue('--front');
  for (const { name, x, y } of names) {
    pen.strokeText(name, x * width + 4, y * height);
    pen.fillText(name, x * width + 4, y * height);
    pen.fillRect(x * width - 1.5, y * height - 1.5, 3, 3);
  }
}

/** Connects the buttons of the time line with the clock. */
function connectTimeline(clock) {
  const by = (id) => document.getElementById(id);
  const [play, scrub, speed] = [by('play'), by('scrub'), by('speed')];
  for (const factor of [0.05, 0.1, 0.25, 0.5, 1, 2, 5]) {
    const option = element(speed, 'option', `× ${factor}`);
    Object.assign(option, { value: factor, selected: factor === 1 });
  }
  Object.assign(scrub, { min: clock.start, max: clock.end });
  scrub.addEventListener('input', () => clock.set(Number(scrub.value)));
  speed.addEventListener('change', () => { clock.speed = Number(speed.value); });
  const toggle = () => {
    clock.plays = !clock.plays;
    if (clock.plays && clock.time >= clock.end) clock.set(clock.start);
    play.textContent = clock.plays ? '⏸' : '▶';
    clock.changed();
  };
  play.addEventListener('click', toggle);
  document.addEventListener('keydown', (event) => {
    if (event.target.closest('input[type=search], select, button')) return;
    const step = { ArrowLeft: -1, ArrowRight: 1, ',': -1, '.': 1 }[event.key];
    if (event.key === ' ') toggle(); else if (step) clock.set(clock.time + step / 60); else return;
    event.preventDefault();
  });
  return () => {
    scrub.value = clock.time;
    by('time').textContent = `${clock.time.toFixed(3)} s`;
    if (clock.plays && clock.time >= clock.end) toggle();
  };
}

async function show() {
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser is too old: it has no DecompressionStream');
  const data = await unpack(document.getElementById('data').textContent.trim());
  const { description, array } = data;
  const by = (id) => document.getElementById(id);
  by('title').textContent = description.title;
  const { runs } = description;
  for (const run of runs) showOutcome(run, runs.length === 1);
  const bases = description.times.map(array);
  const curves = description.curves.map((one) => new Curve(one, bases, array));
  let stale = true;
  const changed = () => { stale = true; };
  const clock = new Clock(bases[0][0], bases[0][bases[0].length - 1], changed);
  const panels = new Panels(curves, runs.map((run) => run.name), clock);
  const showTime = connectTimeline(clock);
  const showPicture = showPictures(runs, data);
  const replay = new Replay(by('scene'), data);
  for (const { ready } of replay.pictures) ready.then(changed);
  const camera = new Camera(by('scene'), changed);
  const home = () => {
    if (description.view) camera.look(...description.view); else camera.frame(...replay.bounds(clock.start));
    changed();
  };
  home();
  showRuns(runs, replay, changed);
  by('home').addEventListener('click', home);
  for (const id of ['names', 'contacts', 'follow']) by(id).addEventListener('change', changed);
  new ResizeObserver(changed).observe(document.body);
  let [before, center] = [performance.now(), replay.center(clock.time)];
  const step = (now) => {
    if (clock.plays) clock.set(clock.time + (now - before) / 1000 * clock.speed);
    before = now;
    if (stale) {
      stale = false;
      const next = replay.center(clock.time);
      if (by('follow').checked && next && center) camera.target = sum(camera.target, difference(next, center));
      center = next;
      const matrix = replay.draw(clock.time, camera, { contacts: by('contacts').checked });
      drawNames(by('labels'), by('names').checked ? replay.names(clock.time, matrix) : []);
      panels.draw();
      showTime();
      showPicture(clock.time);
      document.body.dataset.frames = Number(document.body.dataset.frames ?? 0) + 1;
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function start() {
  show().then(() => { document.body.dataset.ready = 'true'; }, (error) => {
    const fault = document.getElementById('fault');
    fault.hidden = false;
    fault.textContent = `The page cannot be shown: ${error.message}`;
  });
}
