import { badge, box, clamp, FONTS, PAD, ROW } from './shapes.js';

// The picture on a canvas: pan, zoom, selection, levels of detail, an overview. Only what is in view is drawn.

const BAND = 512; // height of a bucket of the index
const OVERVIEW = 72;
const NEAR = 0.5; // from this scale on, texts are drawn
const LEAST = 0.002;
const MOST = 3;
const COLOURS = [
    'ground',
    'surface',
    'line',
    'ink',
    'soft',
    'edge',
    'accent',
    'accent-soft',
    'error',
    'warning',
    'note',
    'chip',
    'focus',
    'input',
];

const SEVERITIES = ['', 'note', 'warning', 'error'];

export class View {
    // on: {select(item), open(item), chip(item), context()}
    constructor(canvas, on) {
        this.canvas = canvas;
        this.context = canvas.getContext('2d');
        this.on = on;
        this.scale = 1;
        this.x = 0;
        this.y = 0;
        this.selected = -1;
        this.hover = -1;
        this.found = new Set(); // items that the search finds
        this.picture = null;
        this.colours = {};
        this.pending = false;
        this.listen();
    }

    // -- Data --

    show(picture, placed) {
        this.picture = picture;
        this.placed = placed;
        this.selected = -1;
        this.hover = -1;
        this.found = new Set();
        picture.items.forEach((item, i) => {
            item.left = placed.x[i] - placed.left - item.width / 2;
            item.top = placed.y[i] - item.height / 2;
        });
        for (const segment of placed.segments)
            for (let c = 0; c < segment.points.length; c += 2) segment.points[c] -= placed.left;
        placed.left = 0;
        this.index();
        this.overview = null;
        this.home();
    }

    index() {
        this.bands = [];
        const put = (top, bottom, kind, i) => {
            const last = Math.floor(bottom / BAND);
            for (let b = Math.max(0, Math.floor(top / BAND)); b <= last; b++) {
                const band = (this.bands[b] = this.bands[b] || { items: [], segments: [] });
                band[kind].push(i);
            }
        };
        this.picture.items.forEach((item, i) => put(item.top, item.top + item.height, 'items', i));
        this.placed.segments.forEach((segment, i) => {
            const p = segment.points;
            put(Math.min(p[1], p[p.length - 1]), Math.max(p[1], p[p.length - 1]), 'segments', i);
        });
        this.stamps = new Int32Array(this.placed.segments.length);
        this.stamp = 0;
    }

    theme() {
        const style = getComputedStyle(document.documentElement);
        for (const name of COLOURS) this.colours[name] = style.getPropertyValue('--' + name).trim();
        this.overview = null;
        this.draw();
    }

    // -- Position --

    room() {
        return { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
    }

    fit() {
        if (!this.picture) return;
        const { width, height } = this.room();
        const sides = width - (this.hasOverview() ? OVERVIEW + 24 : 0);
        this.scale = clamp(Math.min((sides - 48) / this.placed.width, (height - 64) / this.placed.height, 1.25), LEAST, MOST);
        this.x = sides / 2 - (this.placed.width / 2) * this.scale;
        this.y = Math.max(24, (height - this.placed.height * this.scale) / 2);
        this.draw();
    }

    // The whole picture if it can be read then, otherwise its beginning.
    home() {
        this.fit();
        if (this.scale >= 0.55) return;
        const { width } = this.room();
        this.scale = clamp((width - 120) / this.placed.width, 0.6, 1);
        this.y = 48;
        const first = this.picture.items.length ? this.picture.items[0] : null;
        let middle = this.placed.width / 2;
        if (first && this.placed.width * this.scale > width) {
            const top = this.picture.items.reduce((a, b) => (b.top < a.top ? b : a));
            middle = top.left + top.width / 2;
        }
        this.x = width / 2 - middle * this.scale;
        this.draw();
    }

    zoom(factor, at) {
        const { width, height } = this.room();
        const x = at ? at.x : width / 2;
        const y = at ? at.y : height / 2;
        const scale = clamp(this.scale * factor, LEAST, MOST);
        this.x = x - ((x - this.x) / this.scale) * scale;
        this.y = y - ((y - this.y) / this.scale) * scale;
        this.scale = scale;
        this.draw();
    }

    centre(i, near) {
        const item = this.picture.items[i];
        const { width, height } = this.room();
        if (near) this.scale = Math.max(this.scale, 0.8);
        const sides = width - (this.hasOverview() ? OVERVIEW : 0);
        const to = {
            x: sides / 2 - (item.left + item.width / 2) * this.scale,
            y: height / 2 - (item.top + item.height / 2) * this.scale,
        };
        this.glide(to);
    }

    // Moves there; at once where the reader prefers no motion.
    glide(to) {
        const from = { x: this.x, y: this.y };
        const far = Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
        const still = matchMedia('(prefers-reduced-motion: reduce)').matches || far > 4000;
        const started = performance.now();
        const token = (this.gliding = {});
        const step = () => {
            if (this.gliding !== token) return;
            const t = still ? 1 : Math.min(1, (performance.now() - started) / 180);
            const ease = 1 - (1 - t) ** 3;
            this.x = from.x + (to.x - from.x) * ease;
            this.y = from.y + (to.y - from.y) * ease;
            this.draw();
            if (t < 1) requestAnimationFrame(step);
        };
        step();
    }

    select(i, quiet) {
        this.selected = i;
        this.draw();
        if (!quiet) this.on.select(i);
    }

    // -- Drawing --

    draw() {
        if (this.pending) return;
        this.pending = true;
        requestAnimationFrame(() => {
            this.pending = false;
            this.paint();
        });
    }

    paint() {
        const { width, height } = this.room();
        const ratio = window.devicePixelRatio || 1;
        const { canvas, context: c } = this;
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        c.setTransform(ratio, 0, 0, ratio, 0, 0);
        c.fillStyle = this.colours.ground;
        c.fillRect(0, 0, width, height);
        if (!this.picture) return;
        this.grid(width, height);
        c.save();
        c.translate(this.x, this.y);
        c.scale(this.scale, this.scale);
        const top = -this.y / this.scale;
        const bottom = top + height / this.scale;
        const left = -this.x / this.scale;
        const right = left + width / this.scale;
        const bands = this.bands.slice(Math.max(0, Math.floor(top / BAND)), Math.max(0, Math.floor(bottom / BAND) + 1));
        this.paintSegments(bands, left, right);
        const seen = new Set();
        for (const band of bands)
            for (const i of band ? band.items : []) {
                const item = this.picture.items[i];
                if (seen.has(i) || item.left > right || item.left + item.width < left) continue;
                seen.add(i);
                this.paintItem(item, i);
            }
        for (const i of seen) if (this.picture.items[i].severity) this.paintBadge(this.picture.items[i]);
        c.restore();
        this.paintOverview(width, height);
    }

    grid(width, height) {
        const step = 24 * this.scale * Math.max(1, Math.round(1 / this.scale));
        if (step < 12) return;
        const c = this.context;
        c.fillStyle = this.colours.line;
        for (let x = this.x % step; x < width; x += step)
            for (let y = this.y % step; y < height; y += step) c.fillRect(x, y, 1, 1);
    }

    paintSegments(bands, left, right) {
        const c = this.context;
        const stamp = ++this.stamp;
        const strong = [];
        c.lineWidth = Math.max(1.25, 0.6 / this.scale);
        c.strokeStyle = this.colours.edge;
        c.beginPath();
        for (const band of bands)
            for (const i of band ? band.segments : []) {
                if (this.stamps[i] === stamp) continue;
                this.stamps[i] = stamp;
                const segment = this.placed.segments[i];
                if (this.selected >= 0 && (segment.from === this.selected || segment.to === this.selected))
                    strong.push(segment);
                else this.path(segment.points, left, right);
            }
        c.stroke();
        if (!strong.length) return;
        c.lineWidth = Math.max(2.25, 1.5 / this.scale);
        c.strokeStyle = this.colours.focus;
        c.beginPath();
        for (const segment of strong) this.path(segment.points, left, right);
        c.stroke();
        if (this.scale < NEAR) return;
        c.fillStyle = this.colours.focus;
        for (const segment of strong) if (segment.to >= 0) this.arrow(segment.points);
    }

    arrow(p) {
        const c = this.context;
        const x = p[p.length - 2];
        const y = p[p.length - 1];
        c.beginPath();
        c.moveTo(x, y + 1);
        c.lineTo(x - 4.5, y - 7);
        c.lineTo(x + 4.5, y - 7);
        c.fill();
    }

    path(p, left, right) {
        const c = this.context;
        const n = p.length;
        let least = p[0];
        let most = p[0];
        for (let k = 2; k < n; k += 2) {
            least = Math.min(least, p[k]);
            most = Math.max(most, p[k]);
        }
        if (least > right || most < left) return;
        c.moveTo(p[0], p[1]);
        if (n === 4 || this.scale < 0.12) {
            const middle = (p[1] + p[n - 1]) / 2;
            if (p[0] === p[n - 2] || this.scale < 0.12) c.lineTo(p[n - 2], p[n - 1]);
            else c.bezierCurveTo(p[0], middle, p[n - 2], middle, p[n - 2], p[n - 1]);
            return;
        }
        for (let k = 2; k < n - 2; k += 2) {
            const last = k + 4 >= n;
            const x = last ? p[n - 2] : (p[k] + p[k + 2]) / 2;
            const y = last ? p[n - 1] : (p[k + 1] + p[k + 3]) / 2;
            c.quadraticCurveTo(p[k], p[k + 1], x, y);
        }
    }

    paintItem(item, i) {
        const c = this.context;
        const { left, top, width, height } = item;
        const chosen = i === this.selected;
        const colours = this.colours;
        if (this.scale < 0.16) {
            c.fillStyle = chosen ? colours.focus : item.isBroadcast ? colours.accent : item.kind ? colours.input : colours.soft;
            c.fillRect(left, top, width, height);
            return;
        }
        const radius = item.kind ? Math.min(height / 2, 16) : 6;
        box(c, left, top, width, height, radius);
        c.fillStyle = item.kind ? colours.input : colours.surface;
        c.fill();
        c.lineWidth = chosen ? 2.5 : i === this.hover ? 1.75 : 1;
        c.strokeStyle = chosen
            ? colours.focus
            : this.found.has(i)
              ? colours.focus
              : item.isBroadcast
                ? colours.accent
                : colours.line;
        if (this.found.has(i) && !chosen) c.lineWidth = 2;
        c.stroke();
        if (item.isBroadcast) {
            c.save();
            box(c, left, top, width, height, radius);
            c.clip();
            c.fillStyle = colours.accent;
            c.fillRect(left, top, 4, height);
            c.restore();
        }
        if (this.scale < 0.3) return;
        const x = item.kind ? left + width / 2 : left + PAD;
        c.textAlign = item.kind ? 'center' : 'left';
        c.textBaseline = 'alphabetic';
        c.fillStyle = colours.ink;
        c.font = FONTS.title;
        c.fillText(item.title, x, top + 18);
        if (this.scale < NEAR) return;
        c.font = FONTS.sub;
        c.fillStyle = colours.soft;
        if (item.sub) c.fillText(item.sub, x, top + 33);
        if (item.inner && item.inner.length) this.paintOpen(left + width - 15 - (item.severity ? 14 : 0), top + 13);
        item.rows.forEach((row, k) => this.paintRow(row, left, top + 26 + (item.sub ? 15 : 0) + k * ROW, width));
    }

    // Two squares, one inside the other: the node has a body.
    paintOpen(x, y) {
        const c = this.context;
        c.strokeStyle = this.colours.soft;
        c.lineWidth = 1.25;
        c.strokeRect(x - 5, y - 5, 10, 10);
        c.strokeRect(x - 2, y - 2, 4, 4);
    }

    paintRow(row, left, top, width) {
        const c = this.context;
        const colours = this.colours;
        c.textAlign = 'left';
        if (row.kind === 'stretched') {
            box(c, left + 8, top + 1, width - 14, ROW - 2, 3);
            c.fillStyle = colours['accent-soft'];
            c.fill();
            c.strokeStyle = colours.accent;
            c.lineWidth = 1.5;
            c.beginPath(); // an arrow with two heads: stretched
            c.moveTo(left + 12, top + 8.5);
            c.lineTo(left + 21, top + 8.5);
            c.moveTo(left + 14.5, top + 6);
            c.lineTo(left + 12, top + 8.5);
            c.lineTo(left + 14.5, top + 11);
            c.moveTo(left + 18.5, top + 6);
            c.lineTo(left + 21, top + 8.5);
            c.lineTo(left + 18.5, top + 11);
            c.stroke();
            c.fillStyle = colours.ink;
            c.fillText(row.text, left + PAD + 13, top + 12.5);
        } else if (row.kind === 'chip' || row.kind === 'outer') {
            box(c, left + 8, top + 1, width - 14, ROW - 2, 7);
            c.fillStyle = colours.chip;
            c.fill();
            c.fillStyle = colours.soft;
            c.beginPath(); // a triangle: the value comes from elsewhere
            c.moveTo(left + 13, top + 5);
            c.lineTo(left + 19, top + 8.5);
            c.lineTo(left + 13, top + 12);
            c.fill();
            c.fillStyle = colours.ink;
            c.fillText(row.text, left + PAD + 13, top + 12.5);
        } else {
            c.fillStyle = colours.soft;
            c.fillText(row.text, left + PAD, top + 12.5);
        }
    }

    // Shape and sign tell the severity, colour only helps. Far away the badge keeps its size.
    paintBadge(item) {
        const c = this.context;
        const size = 7 / Math.min(1, Math.max(this.scale, 0.02));
        const near = this.scale >= 0.3;
        const x = near ? item.left + item.width - 13 : item.left + item.width / 2;
        const y = near ? item.top + 13 : item.top + item.height / 2;
        badge(c, SEVERITIES[item.severity], x, y, near ? 7.5 : size, this.colours);
    }

    hasOverview() {
        return this.placed && this.placed.height * this.scale > this.room().height * 1.2;
    }

    overviewBox(width, height) {
        const room = height - 32;
        const high = Math.min(room, Math.max(80, (this.placed.height / this.placed.width) * OVERVIEW));
        return { x: width - OVERVIEW - 12, y: 16, width: OVERVIEW, height: high };
    }

    paintOverview(width, height) {
        this.overviewAt = null;
        if (!this.hasOverview()) return;
        const at = this.overviewBox(width, height);
        const c = this.context;
        const ratio = window.devicePixelRatio || 1;
        if (!this.overview || this.overview.high !== at.height) {
            const image = document.createElement('canvas');
            image.width = at.width * ratio;
            image.height = at.height * ratio;
            const o = image.getContext('2d');
            o.scale(ratio, ratio);
            const sx = (at.width - 8) / this.placed.width;
            const sy = at.height / this.placed.height;
            for (const item of this.picture.items) {
                o.fillStyle = item.isBroadcast ? this.colours.accent : this.colours.edge;
                o.fillRect(4 + item.left * sx, item.top * sy, Math.max(1.5, item.width * sx), Math.max(0.75, item.height * sy));
            }
            for (const item of this.picture.items)
                if (item.severity)
                    badge(
                        o,
                        SEVERITIES[item.severity],
                        at.width - 7,
                        clamp(item.top * sy, 6, at.height - 6),
                        4.5,
                        this.colours,
                    );
            this.overview = { image, high: at.height, sx, sy };
        }
        this.overviewAt = at;
        box(c, at.x - 0.5, at.y - 4.5, at.width + 1, at.height + 9, 6);
        c.fillStyle = this.colours.surface;
        c.globalAlpha = 0.92;
        c.fill();
        c.globalAlpha = 1;
        c.strokeStyle = this.colours.line;
        c.lineWidth = 1;
        c.stroke();
        c.drawImage(this.overview.image, at.x, at.y, at.width, at.height);
        const { sx, sy } = this.overview;
        const top = clamp((-this.y / this.scale) * sy, 0, at.height);
        const bottom = clamp(((height - this.y) / this.scale) * sy, 0, at.height);
        const left = clamp((-this.x / this.scale) * sx, 0, at.width);
        const right = clamp(((width - this.x) / this.scale) * sx + 8, 0, at.width);
        c.strokeStyle = this.colours.focus;
        c.lineWidth = 1.5;
        c.strokeRect(at.x + left, at.y + top - 1, Math.max(4, right - left), Math.max(5, bottom - top + 2));
    }

    // -- Pointer --

    at(event) {
        const bounds = this.canvas.getBoundingClientRect();
        return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
    }

    hit(point) {
        if (!this.picture) return null;
        const x = (point.x - this.x) / this.scale;
        const y = (point.y - this.y) / this.scale;
        const slack = this.scale < 0.2 ? 3 / this.scale : 0;
        const band = this.bands[Math.floor(y / BAND)];
        for (const i of band ? band.items : []) {
            const item = this.picture.items[i];
            if (x < item.left - slack || x > item.left + item.width + slack) continue;
            if (y < item.top - slack || y > item.top + item.height + slack) continue;
            const row = Math.floor((y - item.top - 26 - (item.sub ? 15 : 0)) / ROW);
            return { i, row: item.rows[row] || null };
        }
        return null;
    }

    listen() {
        const { canvas } = this;
        const down = new Map();
        let moved = 0;
        let spread = 0;
        let inOverview = false;
        const jump = (point) => {
            const at = this.overviewAt;
            const { height, width } = this.room();
            this.y = height / 2 - ((point.y - at.y) / this.overview.sy) * this.scale;
            if (this.placed.width * this.scale > width)
                this.x = width / 2 - ((point.x - at.x - 4) / this.overview.sx) * this.scale;
            this.draw();
        };
        canvas.addEventListener('pointerdown', (event) => {
            canvas.setPointerCapture(event.pointerId);
            const point = this.at(event);
            this.gliding = null;
            down.set(event.pointerId, point);
            moved = 0;
            const at = this.overviewAt;
            inOverview = !!at && point.x >= at.x && point.y >= at.y - 4 && point.y <= at.y + at.height + 4;
            if (inOverview) jump(point);
        });
        canvas.addEventListener('pointermove', (event) => {
            const point = this.at(event);
            const before = down.get(event.pointerId);
            if (!before) {
                const hit = this.hit(point);
                const hover = hit ? hit.i : -1;
                canvas.style.cursor = hit ? 'pointer' : '';
                if (hover !== this.hover) {
                    this.hover = hover;
                    this.draw();
                }
                return;
            }
            down.set(event.pointerId, point);
            if (inOverview) return jump(point);
            if (down.size === 2) {
                const [a, b] = [...down.values()];
                const now = Math.hypot(a.x - b.x, a.y - b.y);
                if (spread) this.zoom(now / spread, { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
                spread = now;
                moved = 99;
                return;
            }
            moved += Math.abs(point.x - before.x) + Math.abs(point.y - before.y);
            this.x += point.x - before.x;
            this.y += point.y - before.y;
            this.draw();
        });
        const up = (event) => {
            const point = down.get(event.pointerId);
            down.delete(event.pointerId);
            spread = 0;
            if (!point || moved > 5 || inOverview || event.type === 'pointercancel') return;
            const hit = this.hit(point);
            if (hit && hit.row && hit.row.to >= 0) this.on.chip(hit.row.to);
            else this.select(hit ? hit.i : -1);
        };
        canvas.addEventListener('pointerup', up);
        canvas.addEventListener('pointercancel', up);
        canvas.addEventListener('dblclick', (event) => {
            const hit = this.hit(this.at(event));
            if (hit) this.on.open(hit.i);
        });
        canvas.addEventListener(
            'wheel',
            (event) => {
                event.preventDefault();
                this.gliding = null;
                const lines = event.deltaMode === 1 ? 16 : 1;
                if (event.shiftKey) this.x -= (event.deltaY + event.deltaX) * lines;
                if (event.shiftKey) this.draw();
                else this.zoom(Math.exp(-event.deltaY * lines * 0.0015), this.at(event));
            },
            { passive: false },
        );
        new ResizeObserver(() => this.draw()).observe(canvas);
    }

    // The item one step along an edge: up to a producer, down to a reader, left and right in the same row.
    step(direction) {
        const { items, edges } = this.picture;
        if (this.selected < 0) return items.length ? 0 : -1;
        const from = items[this.selected];
        const middle = (item) => item.left + item.width / 2;
        let near;
        if (direction === 'up') near = edges.filter((e) => e.to === this.selected).map((e) => e.from);
        else if (direction === 'down') near = edges.filter((e) => e.from === this.selected).map((e) => e.to);
        else {
            const side = direction === 'left' ? -1 : 1;
            near = [];
            items.forEach((item, i) => {
                const apart = Math.abs(item.top + item.height / 2 - from.top - from.height / 2);
                if (i !== this.selected && apart < 60 && (middle(item) - middle(from)) * side > 0) near.push(i);
            });
        }
        if (direction === 'up' && !near.length) {
            const chip = from.rows.find((row) => row.to >= 0);
            if (chip) return chip.to;
        }
        near.sort((a, b) => Math.abs(middle(items[a]) - middle(from)) - Math.abs(middle(items[b]) - middle(from)) || a - b);
        return near.length ? near[0] : this.selected;
    }
}
