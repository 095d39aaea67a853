import { el, fill, nameOf, sign } from './dom.js';
import { matches, plural, shown } from './text.js';

const FOUND_MOST = 200;
const LISTED = 40;

// The search field with its list. on: {marks(nodes), finding(i), node(id)}
export class Search {
    constructor(json, model, on) {
        Object.assign(this, { json, model, on });
        this.found = [];
        this.at = -1;
        const combobox = { role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'hits', 'aria-label': 'Search' };
        const placeholder = 'Search nodes, operators, findings';
        const keys = { input: () => this.find(), keydown: (event) => this.key(event) };
        this.input = el('input', { type: 'search', id: 'search', placeholder, autocomplete: 'off', on: keys, ...combobox });
        this.list = el('ul', { id: 'hits', class: 'hits', role: 'listbox', 'aria-label': 'Found', hidden: true });
        this.element = el('div', { class: 'searchbox' }, this.input, el('kbd', { 'aria-hidden': 'true' }, '/'), this.list);
    }

    find() {
        const wanted = this.input.value.trim().toLowerCase();
        const marked = [];
        let n = 0;
        this.found = [];
        this.at = -1;
        const take = (hit) => {
            if (n++ < FOUND_MOST) this.found.push(hit);
        };
        if (wanted) {
            this.json.findings.forEach((f, i) => {
                if (matches(f.id + ' ' + f.severity + ' ' + f.title + ' ' + f.message, wanted)) take({ finding: i });
            });
            (this.model.nodes || []).forEach((node, id) => {
                if (!matches(node.op_type + ' ' + node.name, wanted)) return;
                take({ node: id });
                marked.push(id);
            });
        }
        this.on.marks(marked);
        const rows = this.found.slice(0, LISTED).map((hit, k) => this.row(hit, k));
        fill(this.list, rows, el('li', { class: 'soft', role: 'presentation' }, plural(n, 'hit')));
        this.open(!!wanted);
    }

    row(hit, k) {
        const take = (event) => {
            event.preventDefault(); // the field keeps the focus until the hit takes it
            this.take(k);
        };
        const row = el('li', { role: 'option', id: 'hit-' + k, 'aria-selected': 'false', on: { mousedown: take } });
        if (hit.finding === undefined) {
            const node = this.model.nodes[hit.node];
            return fill(row, el('b', null, shown(node.op_type, 24)), ' ', nameOf(node.name, 50));
        }
        const f = this.json.findings[hit.finding];
        return fill(
            row,
            sign(f.severity === 'none' ? 'note' : f.severity),
            ' ',
            el('code', null, f.id),
            ' ',
            shown(f.message, 70),
        );
    }

    key(event) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const n = Math.min(LISTED, this.found.length);
        if (!n) return;
        if (step) {
            this.at = this.at < 0 && step < 0 ? n - 1 : (this.at + step + n) % n;
            this.list.querySelectorAll('[role=option]').forEach((row, k) => {
                row.setAttribute('aria-selected', String(k === this.at));
                if (k === this.at) row.scrollIntoView({ block: 'nearest' });
            });
            this.input.setAttribute('aria-activedescendant', 'hit-' + this.at);
            event.preventDefault();
        } else if (event.key === 'Enter') this.take(Math.max(0, this.at));
    }

    take(k) {
        const hit = this.found[k];
        this.open(false);
        if (hit.finding !== undefined) this.on.finding(hit.finding);
        else this.on.node(hit.node);
    }

    open(yes) {
        this.list.hidden = !yes;
        this.input.setAttribute('aria-expanded', String(yes));
        if (!yes) this.input.removeAttribute('aria-activedescendant');
    }
}
