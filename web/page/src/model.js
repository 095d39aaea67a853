import { layers } from './divide.js';
import { shown, shapeText, tail } from './text.js';

const HUB_READERS = 8; // a value with more readers is drawn as a chip at each reader
const LONG_EDGE = 30; // layers
const ROWS_MOST = 5;

export const INPUT = -1; // kinds of items that are not nodes
export const OUTPUT = -2;

function byNode(list, n) {
    const found = Array.from({ length: n }, () => null);
    (list || []).forEach((node, i) => {
        if (node === null || node >= n) return;
        if (!found[node]) found[node] = [];
        found[node].push(i);
    });
    return found;
}

// A model of the report with what the page looks up.
export class Model {
    constructor(json) {
        this.json = json;
        this.graph = json.graph || null;
        if (this.graph) this.index();
    }

    index() {
        const { nodes, graphs } = this.graph;
        const values = this.json.values;
        this.nodes = nodes;
        this.graphs = graphs;
        this.producer = new Int32Array(values.length).fill(-1);
        this.readers = values.map(() => []);
        this.graphOf = new Int32Array(values.length).fill(-1);
        this.findingsOf = byNode(this.graph.findings, nodes.length);
        this.broadcastsOf = byNode(this.graph.broadcasts, nodes.length);
        this.nodesOf = graphs.map(() => []);
        nodes.forEach((node, id) => {
            this.nodesOf[node.graph].push(id);
            for (const v of node.inputs) if (v !== null && this.readers[v]) this.readers[v].push(id);
            for (const v of node.outputs) if (v !== null) this.producer[v] = id;
            for (const v of node.outputs) if (v !== null) this.graphOf[v] = node.graph;
        });
        graphs.forEach((graph, g) => {
            for (const v of graph.inputs) this.graphOf[v] = g;
            for (const v of graph.initializers) this.graphOf[v] = g;
        });
        this.severityOf = this.findingsOf.map((list) => worst(list, this.json.findings));
        // Nodes by place, for clauses and requirements, which name them.
        this.byPlace = new Map();
        nodes.forEach((node, id) => {
            const key = graphs[node.graph].path + '\u0000' + node.name;
            if (!this.byPlace.has(key)) this.byPlace.set(key, id);
            // The path of a node in a function is that of a call: there the name alone has to do.
            if (this.inFunction(node.graph) && !this.byPlace.has(node.name)) this.byPlace.set(node.name, id);
        });
        this.captured = graphs.map(() => new Map());
        nodes.forEach((node, id) => {
            for (const v of node.inputs) if (v !== null) this.capture(node.graph, v);
        });
        graphs.forEach((graph, g) => {
            for (const v of graph.outputs) this.capture(g, v);
        });
    }

    // A body reads a value of a graph around it: the node with the body reads it, too.
    capture(g, v) {
        for (let steps = 0; g !== this.graphOf[v] && g >= 0 && steps < 1000; steps++) {
            const owner = this.graphs[g].node;
            if (owner === null || owner === undefined) return;
            g = this.nodes[owner].graph;
            const of = this.captured[g];
            if (!of.has(owner)) of.set(owner, new Set());
            of.get(owner).add(v);
        }
    }

    nodeAt(place) {
        if (!this.byPlace) return -1;
        const id =
            this.byPlace.get(place.path + '\u0000' + place.node) ?? (place.path ? this.byPlace.get(place.node) : undefined);
        return id === undefined ? -1 : id;
    }

    inFunction(g) {
        for (let steps = 0; steps < 1000 && this.graphs[g].node !== null; steps++) g = this.nodes[this.graphs[g].node].graph;
        return this.graphs[g].kind === 'function';
    }

    isConstant(v) {
        const value = this.json.values[v];
        if (value.kind === 'initializer') return true;
        const p = this.producer[v];
        return p >= 0 && this.nodes[p].op_type === 'Constant' && this.nodes[p].inputs.length === 0;
    }

    isHidden(id) {
        const node = this.nodes[id];
        return node.op_type === 'Constant' && node.inputs.length === 0 && !this.findingsOf[id];
    }

    // What a node reads: its operands, then what its bodies take from outside.
    reads(id) {
        const node = this.nodes[id];
        const list = node.inputs.filter((v) => v !== null);
        const more = this.captured[node.graph].get(id);
        if (more) for (const v of more) if (!list.includes(v)) list.push(v);
        return list;
    }

    producersOf(id) {
        return [
            ...new Set(
                this.reads(id)
                    .map((v) => this.producer[v])
                    .filter((p) => p >= 0),
            ),
        ];
    }

    readersOf(id) {
        const found = new Set();
        for (const v of this.nodes[id].outputs) if (v !== null) for (const r of this.readers[v]) found.add(r);
        return [...found];
    }

    // Operands that the node stretches: [{name, shape, axes}].
    stretched(id) {
        const found = [];
        for (const b of this.broadcastsOf[id] || [])
            for (const operand of this.json.broadcasts[b].operands) if (operand.stretched_axes.length) found.push(operand);
        return found;
    }
}

const RANK = { error: 3, warning: 2, note: 1 };

export function worst(list, findings) {
    let most = 0;
    for (const i of list || []) most = Math.max(most, RANK[findings[i].severity] || 0);
    return most;
}

// "bias [\u00b7\u00d7, 64, 1\u00d7]": as it aligns with the result; stretched axes carry a mark.
function stretchedText(operand, rank) {
    const shape = operand.shape;
    if (!shape) return '[\u2026]';
    const lead = rank === null ? 0 : Math.max(0, rank - shape.length);
    const axes = new Set(operand.stretched_axes);
    const mark = (axis) => (axes.has(axis) ? '\u00d7' : '');
    const missing = Array.from({ length: Math.min(lead, 8) }, (x, i) => '\u00b7' + mark(i));
    const sizes = shape.map((d, i) => (d === null ? '?' : shown(d, 16)) + mark(i + lead));
    return '[' + [...missing, ...sizes].join(', ') + ']';
}

// The picture of one graph: items (nodes, inputs, outputs) with their rows of text, and edges between them.
export function picture(model, g) {
    const { json } = model;
    const items = [];
    const itemOf = new Map(); // node -> item
    const sourceOf = new Map(); // value -> item
    const graph = model.graphs[g];
    for (const v of graph.inputs) {
        if (model.json.values[v].kind === 'initializer') continue;
        sourceOf.set(v, items.length);
        items.push({ kind: INPUT, value: v, node: -1 });
    }
    for (const id of model.nodesOf[g]) {
        if (model.isHidden(id)) continue;
        itemOf.set(id, items.length);
        for (const v of model.nodes[id].outputs) if (v !== null) sourceOf.set(v, items.length);
        items.push({ kind: 0, value: -1, node: id });
    }
    const nInner = items.length;
    graph.outputs.forEach((v) => {
        if (sourceOf.has(v)) items.push({ kind: OUTPUT, value: v, node: -1 });
    });
    const uses = []; // [value, source, reader]
    const nReaders = new Map();
    for (let i = 0; i < items.length; i++) {
        const item = items[i];
        const reads = item.kind === OUTPUT ? [item.value] : item.kind === INPUT ? [] : model.reads(item.node);
        for (const v of new Set(reads)) {
            const source = sourceOf.get(v);
            if (source === undefined || source === i) continue;
            uses.push([v, source, i]);
            if (i < nInner) nReaders.set(v, (nReaders.get(v) || 0) + 1);
        }
    }
    const isHub = (v) => (nReaders.get(v) || 0) > HUB_READERS;
    let edges = uses.filter(([v, , to]) => items[to].kind === OUTPUT || !isHub(v));
    const { layer } = layers(
        items.length,
        Int32Array.from(edges, (e) => e[1]),
        Int32Array.from(edges, (e) => e[2]),
    );
    edges = edges.filter(([, from, to]) => layer[to] - layer[from] <= LONG_EDGE && layer[to] > layer[from]);
    const drawn = new Set(edges.map(([v, , to]) => v + ' ' + to));
    items.forEach((item, i) => describe(model, item, (v) => drawn.has(v + ' ' + i), sourceOf));
    const pairs = new Map();
    for (const [v, from, to] of edges) {
        const key = from * items.length + to;
        if (!pairs.has(key)) pairs.set(key, { from, to, values: [] });
        pairs.get(key).values.push(v);
    }
    return { g, items, itemOf, edges: [...pairs.values()], sourceOf };
}

function describe(model, item, isDrawn, sourceOf) {
    const { json } = model;
    item.rows = [];
    if (item.kind !== 0) {
        const value = json.values[item.value];
        item.title = shown(value.name, 60);
        item.sub = value.dtype ? value.dtype + ' ' + shapeText(value.shape) : shown(value.type, 60);
        item.severity = 0;
        return;
    }
    const id = item.node;
    const node = model.nodes[id];
    item.title = shown(node.op_type, 60);
    item.name = node.name;
    const first = node.outputs.find((v) => v !== null);
    item.sub = first === undefined ? '' : shapeText(json.values[first].shape);
    item.severity = model.severityOf[id];
    item.isBroadcast = !!model.broadcastsOf[id];
    item.inner = node.graphs.length ? node.graphs : node.function === null ? [] : [node.function];
    const rows = [];
    const names = new Set();
    for (const b of model.broadcastsOf[id] || []) {
        const broadcast = json.broadcasts[b];
        const rank = broadcast.result ? broadcast.result.length : null;
        for (const operand of broadcast.operands) {
            if (!operand.stretched_axes.length || names.has(operand.name)) continue;
            names.add(operand.name);
            rows.push({
                kind: 'stretched',
                text: tail(operand.name, 18) + ' ' + stretchedText(operand, rank),
                to: -1,
                name: operand.name,
            });
        }
    }
    for (const v of new Set(model.reads(id))) {
        const value = json.values[v];
        const source = sourceOf.has(v) ? sourceOf.get(v) : -1;
        if (isDrawn(v)) continue;
        const told = rows.find((row) => row.name === value.name);
        if (told) told.to = source;
        else if (model.isConstant(v)) {
            rows.push({ kind: 'constant', text: tail(value.name, 20) + ' ' + shapeText(value.shape), to: -1 });
        } else {
            rows.push({
                kind: source < 0 ? 'outer' : 'chip',
                text: tail(value.name, 20) + ' ' + shapeText(value.shape),
                to: source,
                value: v,
            });
        }
    }
    if (rows.length > ROWS_MOST)
        rows.splice(ROWS_MOST - 1, rows.length, {
            kind: 'more',
            text: '+ ' + (rows.length - ROWS_MOST + 1) + ' more',
            to: -1,
        });
    item.rows = rows;
}
