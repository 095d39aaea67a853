// Texts of a model as they may be shown: a name can contain anything, also characters that reorder or hide others.

// C0 and C1 controls, soft hyphen, marks and overrides of direction, zero-width characters, separators, variation selectors,
// tags, lone surrogates.
const HIDDEN = new RegExp(
    '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f]|' +
        '[\\u2028-\\u202f\\u205f-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]|' +
        '[\\u{e0000}-\\u{e0fff}]|[\\ud800-\\udfff]',
    'gu',
);

// Hidden characters as \u{202e}.
export function visible(text) {
    return String(text).replace(HIDDEN, (c) => '\\u{' + c.codePointAt(0).toString(16) + '}');
}

// At most `most` characters: both ends with "..." between them. No character is divided.
export function cut(text, most) {
    text = String(text);
    if (text.length <= most) return text;
    const keep = Math.max(2, most - 1);
    let head = Math.ceil(keep * 0.6);
    let tail = text.length - (keep - head);
    if (isLow(text.charCodeAt(head))) head--;
    if (isLow(text.charCodeAt(tail))) tail++;
    return text.slice(0, head) + '\u2026' + text.slice(tail);
}

function isLow(code) {
    return code >= 0xdc00 && code <= 0xdfff;
}

// A name for one line: cut first, because the rest of a million characters need not be looked at.
export function shown(text, most = 200) {
    return cut(visible(cut(text, most)), most * 2);
}

// The end of a name, which tells values of one model apart: "\u2026/layers.0/Add_7".
export function tail(text, most) {
    text = String(text);
    const end = visible(text.slice(-4 * most));
    if (text.length <= most) return visible(text);
    const keep = end.slice(-(most - 1));
    return '\u2026' + (isLow(keep.charCodeAt(0)) ? keep.slice(1) : keep);
}

export function shapeText(shape) {
    if (!shape) return '[\u2026]';
    return '[' + shape.map((d) => (d === null ? '?' : shown(d, 40))).join(', ') + ']';
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

// A number of bytes; terms are shown as they are.
export function bytesText(n) {
    if (n === null || n === undefined) return 'unknown';
    if (typeof n !== 'number') return shown(n, 80) + ' B';
    let unit = 0;
    while (n >= 1024 && unit < UNITS.length - 1) {
        n /= 1024;
        unit++;
    }
    return (unit && n < 100 ? n.toFixed(1) : String(Math.round(n))) + ' ' + UNITS[unit];
}

export function plural(n, one, many) {
    return n + ' ' + (n === 1 ? one : many || one + 's');
}

// Letters in any case; accents count.
export function matches(text, wanted) {
    return String(text).toLowerCase().includes(wanted);
}
