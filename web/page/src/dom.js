import { shown } from './text.js';

// Elements from fixed names and texts of the model. Texts become text nodes only.
export function el(name, options, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(options || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (key === 'on') for (const [event, call] of Object.entries(value)) element.addEventListener(event, call);
        else if (key === 'class') element.className = value;
        else element.setAttribute(key, value === true ? '' : String(value));
    }
    add(element, children);
    return element;
}

export function add(element, children) {
    for (const child of children) {
        if (child === null || child === undefined || child === false) continue;
        if (Array.isArray(child)) add(element, child);
        else element.append(child);
    }
    return element;
}

export function fill(element, ...children) {
    element.replaceChildren();
    return add(element, children);
}

// A name: hidden characters are shown, the middle of a long one is left out and given as title.
export function nameOf(text, most = 80) {
    const short = shown(text, most);
    const whole = shown(text, 2000);
    return el('span', { class: 'name', dir: 'ltr', title: short === whole ? null : whole }, short);
}

const SVG = 'http://www.w3.org/2000/svg';

const SHAPES = {
    error: ['M7.6 2h4.8L16 5.6v4.8L12.4 14H7.6L4 10.4V5.6z', 'M8 6l4 4M12 6l-4 4'],
    warning: ['M10 1.8L17 14.2H3z', 'M10 6.4v3.4M10 12v.2'],
    note: ['M10 1.8a6.2 6.2 0 1 0 .01 0z', 'M10 7.6v3.6M10 4.8v.2'],
    good: ['M10 1.8a6.2 6.2 0 1 0 .01 0z', 'M7.2 8.2l2 2 3.6-4'],
    unknown: ['M10 1.8a6.2 6.2 0 1 0 .01 0z', 'M8.2 6.4a1.9 1.9 0 1 1 2.4 1.9c-.5.2-.6.5-.6 1M10 11.4v.1'],
};

// The sign of a severity or verdict. Its shape differs, not only its colour; words stand beside it.
export function sign(kind) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '2 0 16 16');
    svg.setAttribute('class', 'sign ' + kind);
    svg.setAttribute('aria-hidden', 'true');
    SHAPES[kind].forEach((d, i) => {
        const path = document.createElementNS(SVG, 'path');
        path.setAttribute('d', d);
        path.setAttribute('class', i ? 'mark' : 'body');
        svg.append(path);
    });
    return svg;
}

// A list of which only the rows in view are elements. Each row is a button; rows have one height.
export class LongList {
    constructor(label, rowHeight, row) {
        this.rowHeight = rowHeight;
        this.row = row;
        this.entries = [];
        this.inner = el('div', { class: 'long-inner', role: 'list', 'aria-label': label });
        this.element = el('div', { class: 'long', on: { scroll: () => this.paint() } }, this.inner);
        new ResizeObserver(() => this.paint(true)).observe(this.element);
    }
    set(entries) {
        this.entries = entries;
        this.inner.style.height = entries.length * this.rowHeight + 'px';
        this.element.scrollTop = 0;
        this.paint(true);
    }
    paint(force) {
        const first = Math.max(0, Math.floor(this.element.scrollTop / this.rowHeight) - 8);
        const last = Math.min(this.entries.length, first + Math.ceil((this.element.clientHeight || 400) / this.rowHeight) + 16);
        if (!force && first === this.first && last === this.last) return;
        this.first = first;
        this.last = last;
        const rows = [];
        for (let i = first; i < last; i++) {
            const row = el(
                'div',
                { class: 'long-row', role: 'listitem', 'aria-setsize': this.entries.length, 'aria-posinset': i + 1 },
                this.row(this.entries[i]),
            );
            row.style.top = i * this.rowHeight + 'px';
            row.style.height = this.rowHeight + 'px';
            rows.push(row);
        }
        const focus = this.inner.contains(document.activeElement);
        fill(this.inner, rows);
        if (focus) this.element.focus();
    }
}
