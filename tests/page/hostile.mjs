// A model whose names attack the page that shows them, as bytes of protobuf: names need not be UTF-8.
export const ATTACKS = [
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(2)>',
    "'><svg onload=alert(3)>",
    '<!--<script>',
    ']]></style><style>*{display:none}</style>',
    'javascript:alert(4)',
    '__proto__',
    'constructor',
    'toString',
    'gnp.\u202exe\u2066 hidden\u200b\ufeff',
    'line\none\u2028two\u0007',
    '${alert(5)}`',
    '&lt;script&gt;alert(6)&lt;/script&gt;',
];

function varint(n) {
    const bytes = [];
    for (; n > 127; n = Math.floor(n / 128)) bytes.push((n % 128) | 128);
    return Buffer.from([...bytes, n]);
}
const field = (number, bytes) => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
const number = (id, n) => Buffer.concat([varint(id * 8), varint(n)]);
const text = (id, s) => field(id, Buffer.isBuffer(s) ? s : Buffer.from(s, 'utf8'));

function valueInfo(id, name, sizes) {
    const dims = sizes.map((s) => field(1, typeof s === 'number' ? number(1, s) : text(2, s)));
    const tensor = Buffer.concat([number(1, 1), field(2, Buffer.concat(dims))]);
    return field(id, Buffer.concat([text(1, name), field(2, field(1, tensor))]));
}

// Chains of Add of sizes that may not fit, one for each name; operator, domain and metadata carry names, too.
export function hostileModel() {
    const names = [
        ...ATTACKS,
        Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x62]),
        'long ' + 'x\u202e<'.repeat(333333),
    ];
    const parts = [];
    const graph = [];
    names.forEach((name, i) => {
        const own = (suffix) => Buffer.concat([Buffer.isBuffer(name) ? name : Buffer.from(name), Buffer.from(suffix)]);
        const x = own('');
        const y = own(' y');
        const z = own(' z');
        graph.push(field(1, Buffer.concat([text(1, x), text(1, y), text(2, z), text(3, own(' node')), text(4, 'Add')])));
        graph.push(
            field(
                1,
                Buffer.concat([
                    text(1, z),
                    text(2, own(' w')),
                    text(3, own(' odd')),
                    text(4, own('Op')),
                    text(7, own('.domain')),
                ]),
            ),
        );
        parts.push(valueInfo(11, x, [own('N'), 3 + (i % 3)]), valueInfo(11, y, [own('M'), 4]));
        parts.push(valueInfo(12, own(' w'), [own('N'), 4]));
    });
    const opsets = [field(8, Buffer.concat([text(1, ''), number(2, 17)]))];
    for (const name of names)
        opsets.push(
            field(
                8,
                Buffer.concat([
                    text(1, Buffer.concat([Buffer.isBuffer(name) ? name : Buffer.from(name), Buffer.from('.domain')])),
                    number(2, 1),
                ]),
            ),
        );
    return Buffer.concat([
        number(1, 8),
        text(2, ATTACKS[0]),
        field(7, Buffer.concat([...graph, text(2, ATTACKS[1]), ...parts])),
        ...opsets,
    ]);
}
