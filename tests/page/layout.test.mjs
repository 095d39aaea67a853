// Division and placement of graphs; texts.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bytesText, cut, cuts, dagreLibrary, layers, layoutGraph, Model, picture, shown, tail, visible } from './modules.mjs';
import { layoutLibrary } from './files.mjs';
import { blocks, reportOf, wildGraph } from './graphs.mjs';

const library = existsSync(layoutLibrary)
    ? dagreLibrary(new Function(readFileSync(layoutLibrary, 'utf8') + '\nreturn dagre;')())
    : null;

function inputs(n, edges) {
    return {
        n,
        from: Int32Array.from(edges, (e) => e[0]),
        to: Int32Array.from(edges, (e) => e[1]),
        width: new Float64Array(n).fill(96),
        height: new Float64Array(n).fill(44),
    };
}

// No two boxes overlap, every edge leads down, and its segments lead from the producer to the reader.
function check(graph, placed) {
    const order = Array.from({ length: graph.n }, (x, i) => i).sort((a, b) => placed.y[a] - placed.y[b]);
    for (let i = 0; i < order.length; i++)
        for (let k = i + 1; k < order.length && placed.y[order[k]] - placed.y[order[i]] < 44; k++)
            assert.ok(Math.abs(placed.x[order[i]] - placed.x[order[k]]) >= 96, `${order[i]} and ${order[k]} overlap`);
    for (let e = 0; e < graph.from.length; e++) assert.ok(placed.y[graph.from[e]] < placed.y[graph.to[e]], 'an edge leads up');
    for (const segment of placed.segments) {
        const p = segment.points;
        assert.ok(p.every(Number.isFinite));
        if (segment.to >= 0)
            assert.ok(
                Math.abs(p[p.length - 1] - placed.y[segment.to]) <= 23 &&
                    Math.abs(p[p.length - 2] - placed.x[segment.to]) <= 49,
                'an edge ends beside its node',
            );
    }
    for (let e = 0; e < graph.from.length; e++) {
        const ends = placed.segments.some((s) => s.from === graph.from[e] && s.to === graph.to[e]);
        assert.ok(ends, 'an edge is missing');
    }
}

test('layers and cuts', () => {
    const { layer } = layers(5, [0, 1, 2, 0, 4], [1, 2, 3, 3, 3]);
    assert.deepEqual([...layer], [0, 1, 2, 3, 2]); // node 4 stands beside its reader
    const chain = Array.from({ length: 999 }, (x, i) => [i, i + 1]);
    const g = inputs(1000, chain);
    const parts = cuts(1000, layers(1000, g.from, g.to).layer, g.from, g.to);
    assert.ok(parts.length >= 8 && parts.length <= 25);
    assert.equal(parts[0].first, 0);
    for (let i = 1; i < parts.length; i++) assert.equal(parts[i].first, parts[i - 1].last + 1);
    assert.equal(parts.at(-1).last, 999);
});

test('small and odd graphs', () => {
    for (const [n, edges] of [
        [0, []],
        [1, []],
        [2, []],
        [2, [[0, 1]]],
        [
            3,
            [
                [0, 1],
                [0, 1],
                [0, 2],
            ],
        ],
        [
            2,
            [
                [0, 1],
                [1, 0],
            ],
        ],
        [1, [[0, 0]]],
    ]) {
        const graph = inputs(n, edges);
        const placed = layoutGraph(graph, library);
        assert.equal(placed.x.length, n);
        assert.ok([...placed.x, ...placed.y].every(Number.isFinite));
    }
});

for (const [name, using] of [
    ['by the library', library],
    ['by rows', null],
])
    test(
        'graphs of any form, ' + name,
        { skip: name === 'by the library' && !library && 'no layout library (cmake/page_layout.sh)' },
        () => {
            for (let seed = 1; seed <= 12; seed++) {
                const { n, edges } = wildGraph(seed, 20 * seed * seed);
                const graph = inputs(n, edges);
                check(graph, layoutGraph(graph, using));
            }
            const wide = inputs(
                901,
                Array.from({ length: 900 }, (x, i) => [0, i + 1]),
            );
            check(wide, layoutGraph(wide, using));
        },
    );

test('time is linear, also without repeated blocks', { skip: !library && 'no layout library (cmake/page_layout.sh)' }, () => {
    const time = (n) => {
        const { edges } = wildGraph(99, n);
        const graph = inputs(n, edges);
        const started = process.cpuUsage();
        layoutGraph(graph, library);
        const used = process.cpuUsage(started);
        return (used.user + used.system) / 1000;
    };
    time(400);
    const one = time(1500);
    const four = time(6000);
    assert.ok(four < 9 * one + 500, `1500 nodes ${one} ms, 6000 nodes ${four} ms`);
});

test('a value with many readers becomes chips', () => {
    const model = new Model(reportOf(blocks(90, true)));
    const made = picture(model, 0);
    const mask = made.items.findIndex((item) => item.title === 'mask');
    assert.ok(mask >= 0);
    assert.equal(made.edges.filter((e) => e.from === mask).length, 0);
    const chips = made.items.filter((item) => item.rows.some((row) => row.kind === 'chip' && row.to === mask));
    assert.equal(chips.length, 90);
});

test('texts', () => {
    assert.equal(visible('a\u202eb\u0000\u200b\ufeff\u2066c\ud800'), 'a\\u{202e}b\\u{0}\\u{200b}\\u{feff}\\u{2066}c\\u{d800}');
    assert.equal(visible('gr\u00f6\u00dfe \u{1f600} \u4e2d'), 'gr\u00f6\u00dfe \u{1f600} \u4e2d');
    assert.equal(visible('\u{e0041}x'), '\\u{e0041}x');
    assert.equal(cut('abcdefghij', 6), 'abc\u2026ij');
    assert.equal(cut('\u{1f600}'.repeat(20), 9).includes('\ufffd'), false);
    for (let n = 4; n < 30; n++)
        assert.doesNotMatch(
            cut('\u{1f600}'.repeat(40), n),
            /(?:^|[^\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?:[^\udc00-\udfff]|$)/,
        );
    assert.ok(shown('x'.repeat(1e6)).length <= 200);
    assert.ok(shown('\u202e'.repeat(1e6), 40).length <= 80);
    assert.equal(tail('/model/layers.0/Add_7', 10), '\u2026.0/Add_7'.replace('.0', 's.0').slice(-10).replace(/^./, '\u2026'));
    assert.equal(bytesText(1536), '1.5 KiB');
    assert.equal(bytesText('4*N'), '4*N B');
});
