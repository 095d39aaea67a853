// The HTML report in headless Chromium, as onnx-broadcast-check writes it. Screenshots are kept in build/page/.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Browser } from './browser.mjs';
import { build, layoutLibrary, models, tool, top } from './files.mjs';
import { blocks, textOf, wildModel } from './graphs.mjs';
import { ATTACKS, hostileModel } from './hostile.mjs';

const out = join(build, 'page');
const LARGEST_PAGE = 200000; // bytes without data
const SOONEST = 4000; // ms for 5000 nodes, from navigation to the picture
let browser;

before(async () => {
    assert.ok(existsSync(layoutLibrary), 'cmake/page_layout.sh brings the layout library, then the library is built again');
    mkdirSync(out, { recursive: true });
    browser = await Browser.start();
});
after(async () => browser && (await browser.stop()));

// Writes a report and returns its file.
function report(name, files, ...options) {
    const list = [files].flat();
    const made = spawnSync(tool('onnx-broadcast-check'), [...list, '--format', 'html', ...options], { maxBuffer: 1 << 30 });
    assert.ok(made.stdout.length, String(made.stderr));
    const file = join(out, name + '.html');
    writeFileSync(file, made.stdout);
    return file;
}

function model(name, text) {
    const file = join(out, name);
    writeFileSync(file, text);
    return file;
}

const sample = (name) => join(top, 'models', name);
const open = (file, options) => browser.open(pathToFileURL(file).href, options);

// Nothing was asked of the network, nothing was said, nothing failed.
function quiet(page) {
    assert.deepEqual(page.errors, []);
    assert.deepEqual(page.dialogs, []);
    const foreign = page.requests.filter((url) => !/^(?:file|blob):/.test(url));
    assert.deepEqual(foreign, []);
    assert.ok(page.requests.filter((url) => url.startsWith('file:')).length === 1, 'only the page itself is read');
}

const text = (page, selector) => page.run(`document.querySelector('${selector}')?.innerText || ''`);
const count = (page, selector) => page.run(`document.querySelectorAll('${selector}').length`);
const tab = (page, title) =>
    page.run(`[...document.querySelectorAll('[role=tab]')].find((t) => t.innerText.startsWith('${title}')).click()`);

// Writes into the input number k.
const write = (page, selector, value, k = 0) =>
    page.run(`(() => {
        const field = document.querySelectorAll('${selector}')[${k}];
        field.value = '${value}';
        field.dispatchEvent(new Event('input'));
    })()`);

// The first entry of the list of nodes whose name has this text.
async function chooseNode(page, name) {
    await tab(page, 'Nodes');
    await write(page, '.pane input', name);
    await page.run("document.querySelector('.entry').click()");
}

const WHEEL_AND_FRAME = `new Promise((done) => {
    const started = performance.now();
    document.querySelector('canvas').dispatchEvent(new WheelEvent('wheel', { deltaY: 40, cancelable: true }));
    requestAnimationFrame(() => requestAnimationFrame(() => done(Math.round(performance.now() - started))));
})`;

const COLOURS = `(() => {
    const canvas = document.querySelector('canvas');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
    return seen.size;
})()`;

test('every model has a page that is drawn', { timeout: 600000 }, async () => {
    const files = models().filter((file) => !/gigantic/.test(file));
    let nodes = 0;
    for (const file of files) {
        const page = await open(report('model', file));
        await page.drawn();
        nodes += await page.run("Number(document.querySelector('.app').dataset.drawn)");
        for (const title of ['Findings', 'Contract', 'Nodes', 'Values', 'Summary']) await tab(page, title);
        quiet(page);
        await page.close();
    }
    console.log(`# ${files.length} models, ${nodes} nodes drawn`);
    assert.ok(files.length >= 10 && nodes > 100);
});

test('the page without data is small', async () => {
    const file = model(
        'tiny.onnxtxt',
        '<ir_version: 8, opset_import: ["" : 17]> g (float[1] x) => (float[1] y) { y = Neg (x) }',
    );
    const size = readFileSync(report('tiny', file)).length;
    console.log(`# ${size} bytes`);
    assert.ok(size < LARGEST_PAGE);
});

test('names that attack the page stay text', { timeout: 120000 }, async () => {
    const file = report('hostile', model('hostile.onnx', hostileModel()));
    const written = readFileSync(file, 'utf8').split('<script').length - 1;
    assert.equal(written, 4); // head, data, layout, page
    const page = await open(file);
    await page.drawn();
    assert.equal(await count(page, 'script'), written);
    const findings = await page.run("Number(document.querySelector('[role=tab] .n').innerText)");
    assert.ok(findings > ATTACKS.length);
    for (let i = 0; i < findings; i++) await page.key('n');
    for (const title of ['Contract', 'Nodes', 'Values', 'Summary', 'Findings']) await tab(page, title);
    await page.key('/');
    await page.type('alert(');
    assert.ok((await text(page, '#hits')).includes('</script><script>alert(1)'));
    await page.key('Enter');
    const shown = await page.run('document.body.innerText');
    assert.ok(shown.includes('</script><script>alert(1)</script>'));
    await tab(page, 'Nodes');
    await write(page, '.pane input', 'gnp');
    const list = await text(page, '.long');
    assert.ok(list.includes('gnp.\\u{202e}xe\\u{2066} hidden'), list);
    const whole = await page.run('document.documentElement.textContent');
    const interface_ = await page.run("document.querySelector('.app').textContent");
    assert.doesNotMatch(interface_, /[\u202a-\u202e\u2066-\u2069\u200b]/);
    assert.ok(whole.length > interface_.length);
    for (const bad of ['img', 'iframe', 'object', 'embed', 'link', 'base', '[onload]', '[onerror]', '[href]', '[src]'])
        assert.equal(await count(page, bad), 0, bad);
    quiet(page);
    await page.close();
    const plain = await open(file, { script: false });
    assert.equal(await count(plain, 'img, iframe, [onload], [onerror], [href], [src]'), 0);
    assert.equal(await count(plain, 'script'), written);
    assert.doesNotMatch(await text(plain, '#report'), /[\u202a-\u202e\u2066-\u2069]/);
    quiet(plain);
    await plain.close();
});

test('a policy forbids scripts, styles and requests that the page does not have', async () => {
    const page = await open(report('policy', sample('wrong.onnx')));
    await page.drawn();
    const blocked = await page.run(`new Promise((done) => {
        const seen = [];
        document.addEventListener('securitypolicyviolation', (e) => {
            seen.push(e.effectiveDirective);
            if (seen.length === 4) done(seen.sort());
        });
        const script = document.createElement('script');
        try { script.text = 'window.broken = 1'; } catch { seen.push('trusted types refuse it'); }
        document.body.append(script);
        const style = document.createElement('style'); style.textContent = 'body{display:none}'; document.head.append(style);
        const image = new Image(); image.src = 'https://example.invalid/x.png';
        setTimeout(() => done(seen.sort()), 3000);
    })`);
    assert.ok(blocked.includes('style-src-elem') && blocked.includes('img-src'), String(blocked));
    assert.equal(await page.run('window.broken'), undefined);
    await page.close();
});

for (const [name, lines, soonest] of [
    ['5000 nodes', () => textOf(blocks(97, false)), SOONEST],
    ['5000 nodes, 95 blocks read one mask', () => textOf(blocks(95, true)), SOONEST],
    ['5000 nodes, no block like another', () => textOf(wildModel(7, 5000)), 3 * SOONEST],
    ['20000 nodes', () => textOf(blocks(380, true)), 5 * SOONEST],
])
    test('speed: ' + name, { timeout: 240000 }, async () => {
        const file = report('speed', model('speed.onnxtxt', lines()));
        const times = [];
        for (let i = 0; i < 2; i++) {
            const started = Date.now();
            const page = await open(file);
            await page.drawn(120000);
            times.push(Date.now() - started);
            if (i === 0) {
                const n = await page.run("Number(document.querySelector('.app').dataset.drawn)");
                assert.ok(n >= parseInt(name), n + ' nodes');
                const layout = await page.run("document.querySelector('.app').dataset.layoutMs");
                const frame = await page.run(WHEEL_AND_FRAME);
                console.log(`# ${name}: layout ${layout} ms, a frame ${frame} ms`);
                if (name.includes('mask')) await page.shot(join(out, '5000.png'));
            }
            quiet(page);
            await page.close();
        }
        console.log(`# ${name}: drawn after ${times.join(' and ')} ms`);
        assert.ok(Math.min(...times) < soonest, `${times} ms`);
    });

test('a long layout can be cancelled', async () => {
    const page = await open(report('cancel', model('cancel.onnxtxt', textOf(wildModel(11, 12000)))));
    await page.until("!!document.querySelector('.cover progress')");
    await page.run("document.querySelector('.cover button').click()");
    assert.match(await text(page, '.cover'), /cancelled/);
    assert.ok((await count(page, '.long-row')) > 5);
    quiet(page);
    await page.close();
});

test('keys', async () => {
    const page = await open(report('keys', sample('wrong.onnx')));
    await page.drawn();
    await page.key('n');
    assert.equal(await text(page, '.details h2'), 'Add');
    assert.match(await text(page, '.details'), /12 does not broadcast with 10/);
    await page.key('n');
    assert.match(await text(page, '.details h2'), /PRelu/);
    await page.key('p');
    assert.equal(await text(page, '.details h2'), 'Add');
    await page.run("document.querySelector('canvas').focus()");
    await page.call('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'ArrowUp' });
    assert.equal(await text(page, '.details h2'), 'x');
    await page.call('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'ArrowDown' });
    assert.equal(await text(page, '.details h2'), 'Add');
    await page.call('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter' });
    assert.equal(await page.run('document.activeElement.tagName'), 'H2');
    await page.key('Escape');
    assert.equal(await page.run('document.activeElement.tagName'), 'CANVAS');
    await page.key('Escape');
    assert.match(await text(page, '.details h2'), /Select a node/);
    await page.key('/');
    await page.type('prelu');
    assert.ok((await count(page, '#hits [role=option]')) >= 1);
    await page.key('Enter');
    assert.match(await text(page, '.details h2'), /PRelu/);
    quiet(page);
    await page.close();
});

test('a click selects a node; its diagram marks stretched axes', async () => {
    const page = await open(report('click', sample('attention.onnx')));
    await page.drawn();
    await chooseNode(page, 'query_add_bias');
    assert.equal(await text(page, '.details h2'), 'Add');
    assert.ok((await count(page, '.diagram .stretched')) >= 1);
    assert.match(await text(page, '.axes'), /batch of the inputs\n1\tlength of the inputs|length of the inputs/);
    const { x, y } = await page.run(
        `(() => {
            const b = document.querySelector('canvas').getBoundingClientRect();
            return { x: b.x + b.width / 2 - 36, y: b.y + b.height / 2 };
        })()`,
    );
    await page.key('Escape');
    await page.click(x, y);
    assert.equal(await text(page, '.details h2'), 'Add');
    quiet(page);
    await page.close();
});

test('the contract answers for sizes and proposes one', async () => {
    const file = model(
        'sizes.onnxtxt',
        `<ir_version: 8, opset_import: ["" : 17]>
g (float[batch,tokens] x, float[target,tokens] m) => (float[?,?] y) { y = Add (x, m) }`,
    );
    const page = await open(report('contract', file));
    await page.drawn();
    await tab(page, 'Contract');
    assert.match(await text(page, '.answer'), /^Admitted/);
    await write(page, '.size input[type=number]', 3, 0);
    await write(page, '.size input[type=number]', 7, 1);
    assert.match(await text(page, '.answer'), /Not admitted: 1 clause fails/);
    assert.equal(await count(page, '.clauses .broken'), 1);
    const proposed = await page.run("[...document.querySelectorAll('.repair .fix')].map((b) => b.innerText)");
    assert.ok(proposed.includes('batch = 7') || proposed.includes('batch = 1'), String(proposed));
    await page.run("document.querySelector('.repair .fix').click()");
    assert.match(await text(page, '.answer'), /^Admitted/);
    await page.run("document.querySelector('.by .link').click()");
    assert.equal(await text(page, '.details h2'), 'Add');
    quiet(page);
    await page.close();
});

test('a contract of 1000 clauses answers at once', async () => {
    const inputs = Array.from({ length: 1000 }, (x, i) => `float[a${i}] p${i}, float[b${i}] q${i}`);
    const nodes = Array.from({ length: 1000 }, (x, i) => `  y${i} = Add (p${i}, q${i})`);
    const outputs = Array.from({ length: 1000 }, (x, i) => `float[?] y${i}`);
    const body = `g (${inputs.join(', ')}) => (${outputs.join(', ')}) {\n${nodes.join('\n')}\n}`;
    const page = await open(report('many', model('many.onnxtxt', `<ir_version: 8, opset_import: ["" : 17]>\n${body}\n`)));
    await page.drawn();
    await tab(page, 'Contract');
    assert.equal(await count(page, '.clauses > li'), 1000);
    const started = Date.now();
    await write(page, '.size input[type=number]', 3);
    const used = Date.now() - started;
    assert.match(await text(page, '.answer'), /Not admitted: 1 clause fails/);
    assert.ok(used < 2000, `${used} ms`);
    quiet(page);
    await page.close();
});

test('bodies open on demand', async () => {
    const file = model(
        'bodies.onnxtxt',
        `<ir_version: 8, opset_import: ["" : 17, "local" : 1]>
g (bool c, float[N,4] x) => (float[N,4] y, float[N,4] z) {
  y = If (c) <then_branch = t () => (float[N,4] a) { a = Neg (x) }, else_branch = e () => (float[N,4] b) { b = Abs (x) }>
  z = local.twice (x)
}
<domain: "local", opset_import: ["" : 17]>
twice (p) => (q) { q = Add (p, p) }`,
    );
    const page = await open(report('bodies', file));
    await page.drawn();
    assert.equal(await page.run("document.querySelector('.app').dataset.drawn"), '6');
    await tab(page, 'Nodes');
    await page.run("[...document.querySelectorAll('.entry')].find((e) => e.innerText.startsWith('If')).click()");
    await page.run("document.querySelector('.bodies .fix').click()");
    await page.until("document.querySelector('.app').dataset.drawn === '2'");
    assert.match(await text(page, '.crumbs'), /main graph › .*then_branch/);
    await page.run("document.querySelector('canvas').focus()");
    await page.key('Escape');
    await page.until("document.querySelector('.app').dataset.drawn === '6'");
    await page.run("[...document.querySelectorAll('.entry')].find((e) => e.innerText.startsWith('Add')).click()");
    await page.until("document.querySelector('.app').dataset.drawn === '3'");
    assert.match(await text(page, '.crumbs'), /function twice/);
    quiet(page);
    await page.close();
});

test('several models, and one that cannot be read', async () => {
    const broken = model('broken.onnx', 'no model');
    const page = await open(report('several', [sample('wrong.onnx'), broken, sample('slope.onnx')]));
    await page.drawn();
    assert.equal(await count(page, '.top option'), 3);
    const choose = (k) =>
        page.run(
            `(() => {
                const list = document.querySelector('.top select');
                list.selectedIndex = ${k};
                list.dispatchEvent(new Event('change'));
            })()`,
        );
    await choose(1);
    assert.match(await text(page, '.top'), /Could not be read/);
    await choose(2);
    await page.drawn();
    assert.match(await page.run('document.title'), /slope/);
    quiet(page);
    await page.close();
});

test('without scripts and on paper the report is a document', async () => {
    const file = report('plain', sample('wrong.onnx'));
    const page = await open(file, { script: false });
    const plain = await text(page, '#report');
    assert.match(plain, /OB0101/);
    assert.match(plain, /axis 1: 12 does not broadcast with 10/);
    assert.match(plain, /Contract/);
    await page.shot(join(out, 'no-script.png'), true);
    quiet(page);
    await page.close();
    const paper = await open(file, { media: 'print' });
    assert.match(await text(paper, '#report'), /OB0101/);
    assert.equal(await page_shows(paper, '#app'), false);
    await paper.close();
    const screen = await open(file);
    await screen.drawn();
    assert.equal(await page_shows(screen, '#report'), false);
    await screen.close();
});

async function page_shows(page, selector) {
    return page.run(`getComputedStyle(document.querySelector('${selector}')).display !== 'none'`);
}

test('without the layout library nodes are listed', async () => {
    const whole = readFileSync(report('listed', sample('attention.onnx')), 'utf8');
    const from = whole.indexOf('<script type="text/plain" id="layout-worker">');
    const to = whole.indexOf('</script>', from) + 9;
    assert.ok(from > 0);
    const page = await open(model('listed.html', whole.slice(0, from) + whole.slice(to)));
    await page.until("/not drawn/.test(document.querySelector('.cover').innerText)");
    assert.ok((await count(page, '.long-row')) > 5);
    await page.run("document.querySelector('.entry').click()");
    assert.match(await text(page, '.details h2'), /MatMul/);
    quiet(page);
    await page.close();
});

test('light, dark, narrow', async () => {
    const file = report('looks', sample('attention.onnx'));
    const ground = (page) =>
        page.run('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number).reduce((a, b) => a + b)');
    const colours = (page) => page.run(COLOURS);
    for (const [name, options] of [
        ['light', {}],
        ['dark', { dark: true }],
        ['narrow', { width: 400, height: 1400 }],
    ]) {
        const page = await open(file, options);
        await page.drawn();
        await chooseNode(page, 'query_add_bias');
        await page.shot(join(out, name + '.png'));
        assert.ok((await colours(page)) > 20, 'the picture is empty');
        assert.ok(await page.run('document.documentElement.scrollWidth <= innerWidth'), 'it is wider than the window');
        const before = await ground(page);
        assert.equal(before < 200, name === 'dark');
        await page.run('document.querySelector(\'[aria-label="Switch between light and dark"]\').click()');
        assert.equal((await ground(page)) < 200, name !== 'dark');
        quiet(page);
        await page.close();
    }
});

// The picture of README.md. OB_BLESS=1 ./dev web writes it again.
test('the picture in README', async () => {
    const page = await open(report('readme', sample('accidents/mask_of_heads.onnxtxt')), { width: 1280, height: 700 });
    await page.drawn();
    await page.key('n');
    await tab(page, 'Contract');
    await write(page, '.size input[type=number]', 3);
    assert.match(await text(page, '.answer'), /Not admitted/);
    const file = join(top, 'docs/report.png');
    await page.shot(process.env.OB_BLESS ? file : join(out, 'readme.png'));
    const image = readFileSync(file);
    assert.equal(image.readUInt32BE(16), 1280);
    assert.ok(image.length < 200000);
    quiet(page);
    await page.close();
});

test('what screen readers find has names', async () => {
    const page = await open(report('names', sample('wrong.onnx')));
    await page.drawn();
    await page.key('n');
    await page.call('Accessibility.enable');
    let n = 0;
    for (const title of ['Findings', 'Contract', 'Nodes', 'Values']) {
        await tab(page, title);
        const { nodes } = await page.call('Accessibility.getFullAXTree');
        for (const node of nodes) {
            if (
                node.ignored ||
                !/^(?:button|tab|searchbox|combobox|spinbutton|slider|img|image|listbox|list|tablist|region)$/.test(
                    node.role?.value,
                )
            )
                continue;
            n++;
            assert.ok(node.name?.value || node.role.value === 'list', `a ${node.role.value} without a name`);
        }
    }
    assert.ok(n > 40);
    assert.equal(await count(page, '.app h1'), 1);
    assert.match(await page.run("document.querySelector('.app > [role=status]').textContent"), /Add .*error/);
    quiet(page);
    await page.close();
});

test('with --cost the summary shows the memory, and leads to the nodes', async () => {
    const sizes = ['--cost', '--dim', 'batch=2', '--dim', 'length=5'];
    const page = await open(report('cost', sample('attention.onnx'), ...sizes));
    await page.drawn();
    await tab(page, 'Summary');
    const made = spawnSync(tool('onnx-broadcast-check'), [sample('attention.onnx'), '--format', 'json', ...sizes]);
    const json = JSON.parse(made.stdout).models[0];
    assert.ok(json.cost.broadcasts.length > 3);
    assert.equal(await count(page, '.cost tbody tr'), json.cost.broadcasts.length);
    const first = json.broadcasts[json.cost.broadcasts[0].broadcast];
    const row = await page.run("document.querySelector('.cost tbody tr').innerText");
    assert.ok(row.includes(first.op_type + ' ' + first.node), row);
    assert.ok(row.includes((json.cost.broadcasts[0].copied_bytes / 1024).toFixed(1) + ' KiB'), row);
    await page.run("document.querySelector('.cost tbody button').click()");
    await page.until(`document.querySelector('.app').innerText.includes(${JSON.stringify(first.node)})`);
    await page.shot(join(out, 'cost.png'));
    quiet(page);
    await page.close();
    // Open sizes: nothing is made up.
    const open_sizes = await open(report('cost-open', sample('attention.onnx'), '--cost'));
    await open_sizes.drawn();
    await tab(open_sizes, 'Summary');
    assert.match(await text(open_sizes, '[role=tabpanel]:not([hidden])'), /unknown/);
    quiet(open_sizes);
    await open_sizes.close();
});
