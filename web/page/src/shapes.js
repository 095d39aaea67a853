import { cut } from './text.js';

// Sizes of boxes and their texts, and small shapes on a canvas.

const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
export const FONTS = { title: '600 13px ' + SANS, sub: '11px ' + SANS };
export const PAD = 12;
export const ROW = 17;
const STEP = 8; // widths are multiples, so that repeated blocks are equal
const WIDEST = 288;

// Sets width, height and cut texts of each item.
export function measure(picture) {
    const context = document.createElement('canvas').getContext('2d');
    const known = new Map();
    const wide = (font, text) => {
        const key = font + text;
        if (!known.has(key)) {
            context.font = FONTS[font];
            known.set(key, context.measureText(text).width);
        }
        return known.get(key);
    };
    const fit = (font, text, room) => {
        for (let most = text.length; most > 4 && wide(font, text) > room;) text = cut(text, (most = Math.floor(most * 0.85)));
        return text;
    };
    for (const item of picture.items) {
        const room = WIDEST - 2 * PAD;
        item.title = fit('title', item.title, room - 18);
        item.sub = fit('sub', item.sub, room);
        let width = Math.max(
            64,
            wide('title', item.title) + (item.severity || (item.inner && item.inner.length) ? 20 : 0),
            wide('sub', item.sub),
        );
        for (const row of item.rows) {
            row.text = fit('sub', row.text, room - 14);
            width = Math.max(width, wide('sub', row.text) + 14);
        }
        item.width = Math.ceil((width + 2 * PAD) / STEP) * STEP;
        item.height = 26 + (item.sub ? 15 : 0) + item.rows.length * ROW + (item.rows.length ? 4 : 0);
    }
}

export function clamp(n, least, most) {
    return Math.min(most, Math.max(least, n));
}

export function box(c, x, y, width, height, radius) {
    c.beginPath();
    c.roundRect(x, y, width, height, radius);
}

// error: octagon with a cross; warning: triangle with a mark; note: disc with an i.
export function badge(c, severity, x, y, r, colours) {
    c.fillStyle = colours[severity];
    c.beginPath();
    if (severity === 'error') {
        for (let k = 0; k < 8; k++)
            c.lineTo(x + r * 1.08 * Math.cos(((k + 0.5) * Math.PI) / 4), y + r * 1.08 * Math.sin(((k + 0.5) * Math.PI) / 4));
    } else if (severity === 'warning') {
        c.moveTo(x, y - r * 1.1);
        c.lineTo(x + r * 1.15, y + r * 0.9);
        c.lineTo(x - r * 1.15, y + r * 0.9);
    } else {
        c.arc(x, y, r, 0, 2 * Math.PI);
    }
    c.closePath();
    c.fill();
    c.strokeStyle = colours.surface;
    c.lineWidth = r * 0.26;
    c.lineCap = 'round';
    c.beginPath();
    if (severity === 'error') {
        c.moveTo(x - r * 0.4, y - r * 0.4);
        c.lineTo(x + r * 0.4, y + r * 0.4);
        c.moveTo(x + r * 0.4, y - r * 0.4);
        c.lineTo(x - r * 0.4, y + r * 0.4);
    } else {
        c.moveTo(x, y - r * (severity === 'warning' ? 0.45 : 0.1));
        c.lineTo(x, y + r * (severity === 'warning' ? 0.15 : 0.5));
        c.moveTo(x, y + r * (severity === 'warning' ? 0.55 : -0.5));
        c.lineTo(x, y + r * (severity === 'warning' ? 0.56 : -0.49));
    }
    c.stroke();
    c.lineCap = 'butt';
}
