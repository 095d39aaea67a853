import { el, nameOf, sign } from './dom.js';
import { bytesText, plural, shapeText, shown, tail } from './text.js';
import { placeName } from './panels.js';

// ---- Details of a node or a value ----

// Shapes aligned at their last axes, a column for each axis of the result.
export function diagram(rows, result, marked) {
    const rank = Math.max(result ? result.length : 0, ...rows.map((r) => (r.shape ? r.shape.length : 0)));
    if (rank > 32) return el('p', { class: 'soft' }, 'Rank ' + rank + ': see the shapes below.');
    const cells = (shape, stretched) => {
        if (!shape) return [el('td', { colspan: String(Math.max(1, rank)), class: 'soft' }, 'rank not known')];
        return Array.from({ length: rank }, (x, axis) => {
            const k = axis - (rank - shape.length);
            const isStretched = stretched && stretched.includes(axis);
            const text = k < 0 ? '\u00b7' : shape[k] === null ? '?' : shown(shape[k], 24);
            return el(
                'td',
                { class: (isStretched ? 'stretched' : k < 0 ? 'soft' : '') + (axis === marked ? ' marked' : '') },
                text,
                isStretched ? el('span', { class: 'mark', title: 'stretched' }, '\u2194') : null,
            );
        });
    };
    const head = el(
        'tr',
        null,
        el('th', { scope: 'col' }, 'axis'),
        Array.from({ length: rank }, (x, axis) => el('th', { scope: 'col' }, String(axis))),
    );
    const body = rows.map((r) =>
        el(
            'tr',
            null,
            el('th', { scope: 'row' }, el('span', { class: 'name', title: shown(r.name, 400) }, tail(r.name, 26))),
            cells(r.shape, r.stretched_axes),
        ),
    );
    const foot = result ? el('tr', { class: 'result' }, el('th', { scope: 'row' }, 'result'), cells(result, null)) : null;
    return el(
        'div',
        { class: 'wide' },
        el('table', { class: 'diagram' }, el('thead', null, head), el('tbody', null, body, foot)),
    );
}

function findingCard(f) {
    return el(
        'div',
        { class: 'card ' + f.severity },
        el(
            'div',
            { class: 'head' },
            sign(f.severity === 'none' ? 'note' : f.severity),
            el('b', null, f.severity),
            el('code', null, f.id),
            el('span', { class: 'soft' }, f.title),
        ),
        el('p', null, shown(f.message, 1200)),
        f.operands.length > 1 && f.operands.some((o) => o.shape) ? diagram(f.operands, null, f.axis) : null,
        f.origins.length
            ? el(
                  'ul',
                  { class: 'plain soft' },
                  f.origins.slice(0, 8).map((o) => el('li', null, shown(o, 300))),
              )
            : null,
        f.fix ? el('p', { class: 'fixtext' }, el('b', null, 'Fix: '), shown(f.fix, 600)) : null,
        f.source ? el('p', { class: 'soft' }, shown(f.source, 300)) : null,
    );
}

// An operand with its producer, or a result with the number of its readers.
function valueRow(model, v, role, onNode) {
    const value = model.json.values[v];
    const producer = model.producer[v];
    const nReaders = model.readers[v].length;
    const other = role.startsWith('out')
        ? el('span', { class: 'soft' }, value.kind === 'output' ? 'output' : plural(nReaders, 'reader'))
        : producer >= 0
          ? el('button', { class: 'link', on: { click: () => onNode(producer) } }, shown(model.nodes[producer].op_type, 24))
          : el('span', { class: 'tag plain' }, value.kind);
    return el(
        'tr',
        null,
        el('th', { scope: 'row' }, role),
        el('td', null, nameOf(value.name, 36)),
        el('td', null, el('code', null, value.dtype ? value.dtype + ' ' + shapeText(value.shape) : shown(value.type, 60))),
        el('td', null, other),
    );
}

// Where the axes of a value come from.
function axesTable(model, v) {
    const { axes, origins } = model.graph;
    const value = model.json.values[v];
    if (!axes || !axes[v] || !value.shape || !value.shape.length) return null;
    const rows = value.shape.map((dim, axis) => {
        const origin = axes[v][axis];
        return el(
            'tr',
            null,
            el('th', { scope: 'row' }, String(axis)),
            el('td', null, el('code', null, dim === null ? '?' : shown(dim, 40))),
            el(
                'td',
                null,
                origin === null || origin === undefined
                    ? el('span', { class: 'soft' }, 'not known')
                    : shown(origins[origin], 200),
            ),
        );
    });
    return [
        el('h3', null, 'Origins of the axes of ', nameOf(value.name, 40)),
        el(
            'table',
            { class: 'facts axes' },
            el(
                'thead',
                null,
                el(
                    'tr',
                    null,
                    ['Axis', 'Size', 'Its elements come from'].map((t) => el('th', { scope: 'col' }, t)),
                ),
            ),
            el('tbody', null, rows),
        ),
    ];
}

export function nodeDetails(model, id, onNode, onGraph) {
    const { json } = model;
    const node = model.nodes[id];
    const path = model.graphs[node.graph].path;
    const findings = (model.findingsOf[id] || []).map((i) => json.findings[i]);
    const broadcasts = (model.broadcastsOf[id] || []).map((i) => json.broadcasts[i]);
    const conditions = json.conditions.filter((c) => c.node === node.name && c.path === path).slice(0, 12);
    const readers = model.readersOf(id);
    const bodies = node.graphs.length ? node.graphs : node.function === null ? [] : [node.function];
    return el(
        'div',
        { class: 'details-body' },
        el(
            'h2',
            { tabindex: '-1' },
            shown(node.op_type, 60),
            node.domain ? el('span', { class: 'soft' }, ' ' + shown(node.domain, 40)) : null,
        ),
        el('p', { class: 'where' }, placeName({ path, node: node.name })),
        findings.length
            ? el(
                  'div',
                  null,
                  findings.slice(0, 20).map(findingCard),
                  findings.length > 20 ? el('p', { class: 'soft' }, findings.length - 20 + ' more findings in the list') : null,
              )
            : null,
        broadcasts
            .slice(0, 3)
            .map((b) => [
                el('h3', null, 'Broadcast, ' + b.rule, b.calls > 1 ? ' in ' + b.calls + ' calls' : ''),
                diagram(b.operands, b.fits ? b.result : null, null),
                el(
                    'p',
                    { class: 'soft' },
                    b.fits ? 'Copies would write ' + bytesText(b.copied_bytes) + '.' : 'The operands do not broadcast.',
                ),
            ]),
        conditions.length
            ? [
                  el('h3', null, 'Conditions at run time'),
                  el(
                      'ul',
                      { class: 'plain' },
                      conditions.map((c) => el('li', null, el('code', { class: 'term' }, shown(c.text, 300)))),
                  ),
              ]
            : null,
        bodies.length
            ? [
                  el('h3', null, 'Bodies'),
                  el(
                      'div',
                      { class: 'bodies' },
                      bodies.map((g) =>
                          el(
                              'button',
                              { class: 'fix', on: { click: () => onGraph(g) } },
                              'Open ' + shown(model.graphs[g].attribute || model.graphs[g].name || 'body', 40),
                          ),
                      ),
                  ),
              ]
            : null,
        el('h3', null, 'Operands and results'),
        el(
            'div',
            { class: 'wide' },
            el(
                'table',
                { class: 'facts' },
                el(
                    'tbody',
                    null,
                    node.inputs.slice(0, 64).map((v, i) => (v === null ? null : valueRow(model, v, 'in ' + i, onNode))),
                    node.outputs.slice(0, 64).map((v, i) => (v === null ? null : valueRow(model, v, 'out ' + i, onNode))),
                ),
            ),
        ),
        node.outputs.slice(0, 4).map((v) => (v === null ? null : axesTable(model, v))),
        readers.length
            ? [
                  el('h3', null, plural(readers.length, 'reader')),
                  el(
                      'ul',
                      { class: 'plain links' },
                      readers
                          .slice(0, 50)
                          .map((r) =>
                              el(
                                  'li',
                                  null,
                                  el(
                                      'button',
                                      { class: 'link', on: { click: () => onNode(r) } },
                                      shown(model.nodes[r].op_type, 24) + '  ' + shown(model.nodes[r].name, 40),
                                  ),
                              ),
                          ),
                      readers.length > 50 ? el('li', { class: 'soft' }, 'and ' + (readers.length - 50) + ' more') : null,
                  ),
              ]
            : null,
    );
}

export function valueDetails(model, v, onNode) {
    const value = model.json.values[v];
    const readers = model.readers ? model.readers[v] : [];
    return el(
        'div',
        { class: 'details-body' },
        el('h2', { tabindex: '-1' }, nameOf(value.name, 60)),
        el(
            'p',
            { class: 'where' },
            el('span', { class: 'tag plain' }, value.kind),
            ' ',
            el('code', null, shown(value.type, 200)),
        ),
        value.why_unknown ? el('p', null, shown(value.why_unknown, 400)) : null,
        model.graph ? axesTable(model, v) : null,
        readers.length
            ? [
                  el('h3', null, plural(readers.length, 'reader')),
                  el(
                      'ul',
                      { class: 'plain links' },
                      readers
                          .slice(0, 100)
                          .map((r) =>
                              el(
                                  'li',
                                  null,
                                  el(
                                      'button',
                                      { class: 'link', on: { click: () => onNode(r) } },
                                      shown(model.nodes[r].op_type, 24) + '  ' + shown(model.nodes[r].name, 40),
                                  ),
                              ),
                          ),
                  ),
              ]
            : null,
    );
}
