import { add, el, fill, sign } from './dom.js';
import { View } from './draw.js';
import { measure } from './shapes.js';
import { nodeDetails, valueDetails } from './details.js';
import { Model, picture } from './model.js';
import { Search } from './search.js';
import { plural, shown, visible } from './text.js';
import { bySeverity, contractPanel, findingsPanel, nodesPanel, summaryPanel, valuesPanel, verdict } from './panels.js';

// Turns the report in the page into views of it. The static report is what remains if this fails.
class Page {
    constructor(json, tool, names) {
        this.json = json;
        this.tool = tool;
        this.names = names;
        this.model = new Model(json);
        this.pictures = new Map(); // graph -> {picture, placed}
        this.trail = []; // graphs from the main graph to the one that is shown
        this.worker = null;
        this.tour = bySeverity(json.findings);
        this.tourAt = -1;
        this.build();
    }

    build() {
        const v = verdict(this.json);
        this.search = new Search(this.json, this.model, {
            marks: (nodes) => this.mark(nodes),
            finding: (k) => this.goFinding(k, true),
            node: (id) => this.goNode(id, true),
        });
        const theme = el(
            'button',
            {
                class: 'icon',
                title: 'Light or dark',
                'aria-label': 'Switch between light and dark',
                on: { click: () => this.switchTheme() },
            },
            '\u25d0',
        );
        const models =
            this.names.length > 1
                ? el(
                      'select',
                      { 'aria-label': 'Model', on: { change: () => show(models.selectedIndex) } },
                      this.names.map((name) => el('option', null, shown(name, 60))),
                  )
                : null;
        if (models) models.selectedIndex = this.names.indexOf(this.json.file);
        const file = this.json.file.split('/').pop();
        this.header = el(
            'header',
            { class: 'top' },
            el(
                'div',
                { class: 'title' },
                models || el('h1', { title: visible(this.json.file).slice(0, 400) }, shown(file, 60)),
                models ? el('h1', { class: 'hidden' }, shown(file, 60)) : null,
                el('span', { class: 'verdict ' + v.kind }, sign(v.kind), v.text),
            ),
            this.search.element,
            theme,
        );
        this.status = el('div', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
        this.details = el('aside', { class: 'details', 'aria-label': 'Details', tabindex: '-1' });
        this.buildGraph();
        this.buildPanes();
        this.root = el(
            'div',
            { class: 'app' },
            this.header,
            el('main', { class: 'columns' }, this.panes, this.graphArea, this.details),
            this.status,
        );
        this.showHint();
    }

    buildGraph() {
        this.canvas = el('canvas', {
            tabindex: '0',
            role: 'img',
            'aria-label':
                'Graph of the model. The lists beside it have the same content. Arrow keys follow edges, n and p visit findings.',
        });
        this.crumbs = el('nav', { class: 'crumbs', 'aria-label': 'Graphs' });
        this.cover = el('div', { class: 'cover', hidden: true });
        const button = (text, label, call) =>
            el('button', { class: 'icon', title: label, 'aria-label': label, on: { click: call } }, text);
        const tools = el(
            'div',
            { class: 'tools', role: 'toolbar', 'aria-label': 'Picture' },
            button('+', 'Larger (+)', () => this.view.zoom(1.3)),
            button('\u2212', 'Smaller (-)', () => this.view.zoom(1 / 1.3)),
            button('\u2922', 'Whole graph (0)', () => this.view.fit()),
            button('\u2191', 'Previous finding (p)', () => this.visit(-1)),
            button('\u2193', 'Next finding (n)', () => this.visit(1)),
        );
        const legend = el(
            'div',
            { class: 'legend', 'aria-hidden': 'true' },
            el('span', { class: 'key broadcast' }, 'broadcast'),
            el('span', { class: 'key stretched' }, '\u2194 stretched'),
            el('span', { class: 'key chip' }, '\u25b8 from elsewhere'),
        );
        this.graphArea = el(
            'section',
            { class: 'graph', 'aria-label': 'Graph' },
            this.canvas,
            this.crumbs,
            legend,
            tools,
            this.cover,
        );
        this.view = new View(this.canvas, {
            select: (i) => this.selected(i),
            open: (i) => this.openItem(i),
            chip: (i) => this.go(i),
        });
        this.canvas.addEventListener('keydown', (event) => this.key(event));
    }

    buildPanes() {
        const { json, model } = this;
        const onNode = (id) => this.goNode(id);
        const entries = [
            ['Findings', json.findings.length, () => findingsPanel(json, (i) => this.goFinding(i))],
            ['Contract', json.contract.clauses.length || '', () => contractPanel(json, (place) => this.goPlace(place))],
            model.graph ? ['Nodes', '', () => nodesPanel(model, onNode)] : null,
            ['Values', '', () => valuesPanel(json, (v) => this.showValue(v))],
            ['Summary', '', () => summaryPanel(json, this.tool, (b) => onNode(json.graph.broadcasts[b]))],
        ].filter(Boolean);
        this.tabs = entries.map(([title, count, make], k) =>
            el(
                'button',
                {
                    role: 'tab',
                    id: 'tab-' + k,
                    'aria-controls': 'pane',
                    'aria-selected': 'false',
                    tabindex: '-1',
                    on: { click: () => this.tab(k) },
                },
                title,
                count === '' ? null : el('span', { class: 'n' }, String(count)),
            ),
        );
        this.makers = entries.map((e) => e[2]);
        this.made = [];
        const list = el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Report' }, this.tabs);
        list.addEventListener('keydown', (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!step) return;
            this.tab((this.tabAt + step + this.tabs.length) % this.tabs.length);
            this.tabs[this.tabAt].focus();
            event.preventDefault();
        });
        this.pane = el('div', { id: 'pane', class: 'pane', role: 'tabpanel' });
        this.panes = el('div', { class: 'panes' }, list, this.pane);
        this.tab(json.findings.length || !json.contract.clauses.length ? 0 : 1);
    }

    tab(k) {
        this.tabAt = k;
        this.tabs.forEach((tab, i) => {
            tab.setAttribute('aria-selected', String(i === k));
            tab.tabIndex = i === k ? 0 : -1;
        });
        this.made[k] = this.made[k] || this.makers[k]();
        this.pane.setAttribute('aria-labelledby', 'tab-' + k);
        fill(this.pane, this.made[k]);
    }

    start() {
        this.view.theme();
        if (!this.model.graph) return this.say('This report has no graph.');
        this.openGraph(0);
    }

    stop() {
        if (this.worker) this.worker.terminate();
        this.worker = null;
    }

    // -- Graphs --

    say(text, ...more) {
        this.cover.hidden = false;
        fill(this.cover, el('p', null, text), more);
    }

    // Shows a graph; then calls `then`.
    openGraph(g, then) {
        this.stop();
        this.trail = [];
        for (let at = g, steps = 0; at !== null && at !== undefined && steps < 100; steps++) {
            this.trail.unshift(at);
            const owner = this.model.graphs[at].node;
            at = owner === null ? null : this.model.nodes[owner].graph;
        }
        if (this.model.graphs[this.trail[0]].kind === 'function') this.trail.unshift(0);
        fill(
            this.crumbs,
            this.trail.length > 1
                ? this.trail.map((graph, k) => [
                      k ? ' \u203a ' : null,
                      k + 1 === this.trail.length
                          ? el('b', null, this.graphName(graph))
                          : el('button', { class: 'link', on: { click: () => this.openGraph(graph) } }, this.graphName(graph)),
                  ])
                : null,
        );
        this.g = g;
        this.shown = null;
        const known = this.pictures.get(g);
        if (known) return this.showPicture(known, then);
        const made = picture(this.model, g);
        measure(made);
        this.layout(made, (placed) => {
            const both = { picture: made, placed };
            this.pictures.set(g, both);
            this.showPicture(both, then);
        });
    }

    graphName(g) {
        const graph = this.model.graphs[g];
        if (g === 0) return 'main graph';
        if (graph.kind === 'function') return 'function ' + shown(graph.name, 40);
        return shown(this.model.nodes[graph.node].name, 30) + '.' + shown(graph.attribute, 30);
    }

    showPicture({ picture, placed }, then) {
        this.cover.hidden = true;
        this.shown = picture;
        this.view.show(picture, placed);
        this.root.dataset.drawn = String(picture.items.length);
        this.status.textContent = plural(picture.items.length, 'node') + ' drawn';
        if (then) then();
    }

    layout(made, done) {
        const source = document.getElementById('layout-worker');
        if (!source)
            return this.withoutLayout(
                'This build of onnx-broadcast has no library for layouts, so the graph is not drawn. Its nodes are listed.',
            );
        const url = URL.createObjectURL(new Blob([source.textContent], { type: 'text/javascript' }));
        const trusted = window.trustedTypes
            ? window.trustedTypes.createPolicy('layout-' + ++policies, { createScriptURL: () => url }).createScriptURL('')
            : url;
        const worker = (this.worker = new Worker(trusted));
        URL.revokeObjectURL(url);
        const bar = el('progress', { max: '1', value: '0', 'aria-label': 'Layout' });
        const cancel = el(
            'button',
            {
                class: 'fix',
                on: {
                    click: () => {
                        worker.terminate();
                        this.withoutLayout('The layout was cancelled. The nodes are listed.');
                    },
                },
            },
            'Cancel',
        );
        const timer = setTimeout(() => this.say('Laying out ' + plural(made.items.length, 'node'), bar, cancel), 250);
        worker.onmessage = (event) => {
            if (event.data.progress !== undefined) return (bar.value = event.data.progress);
            clearTimeout(timer);
            worker.terminate();
            this.root.dataset.layoutMs = String(event.data.ms);
            done(event.data.result);
        };
        worker.onerror = () => {
            clearTimeout(timer);
            worker.terminate();
            this.withoutLayout('The layout failed. The nodes are listed.');
        };
        worker.postMessage({
            n: made.items.length,
            width: Float64Array.from(made.items, (item) => item.width),
            height: Float64Array.from(made.items, (item) => item.height),
            from: Int32Array.from(made.edges, (e) => e.from),
            to: Int32Array.from(made.edges, (e) => e.to),
        });
    }

    withoutLayout(text) {
        this.say(text);
        const nodes = this.tabs.findIndex((tab) => tab.firstChild.textContent === 'Nodes');
        if (nodes >= 0) this.tab(nodes);
    }

    // -- Selection --

    selected(i) {
        if (i < 0) return this.showHint();
        const item = this.shown.items[i];
        if (item.node >= 0) this.showNode(item.node);
        else this.showValue(item.value);
    }

    showHint() {
        const key = (k, text) => el('li', null, el('kbd', null, k), ' ', text);
        fill(
            this.details,
            el(
                'div',
                { class: 'details-body hint' },
                el('h2', null, 'Select a node'),
                el('p', { class: 'soft' }, 'Its aligned shapes, findings, conditions and the origins of its axes appear here.'),
                el(
                    'ul',
                    { class: 'plain keys' },
                    key('/', 'search'),
                    key('n', 'next finding'),
                    key('p', 'previous finding'),
                    key('\u2190 \u2191 \u2192 \u2193', 'along edges'),
                    key('+ \u2212 0', 'zoom, whole graph'),
                    key('Enter', 'details, or the body of a node'),
                    key('Esc', 'back'),
                ),
            ),
        );
    }

    showNode(id) {
        fill(
            this.details,
            nodeDetails(
                this.model,
                id,
                (n) => this.goNode(n),
                (g) => this.openGraph(g),
            ),
        );
        this.details.scrollTop = 0;
        const node = this.model.nodes[id];
        const severity = ['', ', note', ', warning', ', error'][this.model.severityOf[id]];
        this.status.textContent =
            shown(node.op_type + ' ' + node.name, 120) + (this.model.broadcastsOf[id] ? ', broadcast' : '') + severity;
    }

    showValue(v) {
        fill(
            this.details,
            valueDetails(this.model, v, (n) => this.goNode(n)),
        );
        this.details.scrollTop = 0;
        this.status.textContent = shown(this.json.values[v].name, 120);
    }

    go(i) {
        this.view.centre(i, true);
        this.view.select(i);
    }

    // Shows a node and its details; `focus`: the picture gets the keys.
    goNode(id, focus) {
        this.showNode(id);
        if (focus) this.canvas.focus();
        const g = this.model.nodes[id].graph;
        const show = () => {
            const i = this.shown && this.shown.itemOf.get(id);
            if (i !== undefined && i !== null) this.go(i);
        };
        if (this.g === g) show();
        else this.openGraph(g, show);
    }

    goFinding(i, focus) {
        this.tourAt = this.tour.indexOf(i);
        const id = this.model.graph ? this.model.graph.findings[i] : null;
        if (id !== null && id !== undefined) this.goNode(id, focus);
        else
            fill(
                this.details,
                el(
                    'div',
                    { class: 'details-body' },
                    el('h2', null, this.json.findings[i].id),
                    el('p', null, shown(this.json.findings[i].message, 2000)),
                ),
            );
    }

    goPlace(place) {
        const id = this.model.graph ? this.model.nodeAt(place) : -1;
        if (id >= 0) this.goNode(id);
    }

    visit(step) {
        if (!this.tour.length) return;
        this.tourAt =
            this.tourAt < 0 && step < 0 ? this.tour.length - 1 : (this.tourAt + step + this.tour.length) % this.tour.length;
        this.goFinding(this.tour[this.tourAt]);
    }

    openItem(i) {
        const item = this.shown.items[i];
        if (item.inner && item.inner.length) this.openGraph(item.inner[0]);
        else this.focusDetails();
    }

    focusDetails() {
        const heading = this.details.querySelector('h2');
        if (heading) heading.focus();
    }

    // -- Keys --

    key(event) {
        const arrows = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };
        if (event.ctrlKey || event.altKey || event.metaKey || !this.shown) return;
        if (arrows[event.key]) {
            const to = this.view.step(arrows[event.key]);
            if (to >= 0) this.go(to);
        } else if (event.key === 'Enter' && this.view.selected >= 0) this.openItem(this.view.selected);
        else return;
        event.preventDefault();
    }

    globalKey(event) {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const typing = /^(?:INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
        if (event.key === 'Escape') return this.escape(typing);
        if (typing) return;
        const calls = {
            '/': () => this.search.input.focus(),
            n: () => this.visit(1),
            p: () => this.visit(-1),
            '+': () => this.view.zoom(1.3),
            '=': () => this.view.zoom(1.3),
            '-': () => this.view.zoom(1 / 1.3),
            0: () => this.view.fit(),
        };
        if (!Object.hasOwn(calls, event.key)) return;
        if (this.shown || event.key === '/' || event.key === 'n' || event.key === 'p') calls[event.key]();
        event.preventDefault();
    }

    escape(typing) {
        if (typing) {
            this.search.open(false);
            this.canvas.focus();
        } else if (this.details.contains(document.activeElement)) this.canvas.focus();
        else if (this.view.selected >= 0) this.view.select(-1);
        else if (this.trail.length > 1) this.openGraph(this.trail[this.trail.length - 2]);
    }

    // Nodes that the search found.
    mark(nodes) {
        const items = nodes.map((id) => this.shown && this.shown.itemOf.get(id));
        this.view.found = new Set(items.filter((i) => i !== undefined && i !== null));
        this.view.draw();
    }

    switchTheme() {
        const root = document.documentElement;
        const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
        root.dataset.theme = dark ? 'light' : 'dark';
        this.view.theme();
    }
}

let policies = 0;
let page = null;
let documents = [];

function unread(json) {
    return el(
        'div',
        { class: 'app' },
        el(
            'header',
            { class: 'top' },
            el(
                'div',
                { class: 'title' },
                el('h1', null, shown(json.file, 60)),
                el('span', { class: 'verdict error' }, sign('error'), 'Could not be read'),
            ),
        ),
        el('main', { class: 'unread' }, el('p', null, shown(json.error.message, 2000))),
    );
}

function show(k) {
    const { json, tool } = documents[k];
    if (page) page.stop();
    const place = document.getElementById('app');
    page = null;
    if (json.error) {
        const shownModels =
            documents.length > 1
                ? el(
                      'select',
                      { 'aria-label': 'Model', on: { change: () => show(shownModels.selectedIndex) } },
                      documents.map((d) => el('option', null, shown(d.json.file, 60))),
                  )
                : null;
        const root = unread(json);
        if (shownModels) {
            shownModels.selectedIndex = k;
            add(root.querySelector('.title'), [shownModels]);
        }
        fill(place, root);
        return;
    }
    page = new Page(
        json,
        tool,
        documents.map((d) => d.json.file),
    );
    const models = page.header.querySelector('select');
    if (models) models.selectedIndex = k;
    fill(place, page.root);
    document.title = shown(json.file.split('/').pop(), 80) + ' \u2013 broadcasts';
    page.start();
}

function main() {
    const blocks = document.querySelectorAll('script[type="application/json"]');
    const head = JSON.parse(blocks[0].textContent);
    for (let k = 1; k < blocks.length; k++) documents.push({ json: JSON.parse(blocks[k].textContent), tool: head.tool });
    if (!documents.length) return;
    document.documentElement.classList.add('live');
    try {
        show(0);
    } catch (error) {
        document.documentElement.classList.remove('live'); // the static report stays
        throw error;
    }
    document.addEventListener('keydown', (event) => page && page.globalKey(event));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => page && page.view.theme());
}

main();
