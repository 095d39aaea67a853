// The static page in headless Chromium, served from this machine. Screenshots are kept in build-wasm/screens/.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser } from '../page/browser.mjs';
import { ATTACKS, hostileModel } from '../page/hostile.mjs';
import { folder, models, shared, site, tool, top } from './files.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
const OF_THE_PAGE =
    /^GET \/(?:worker\.js|frame\.html|onnx-broadcast\/(?:(?:index|tensor|wasm|wasi)\.js|onnx-broadcast\.wasm))$/;
const screens = join(folder, 'screens');
const sample = (name) => join(top, 'models', name);
let server, address, browser;
const served = [];

before(async () => {
    mkdirSync(screens, { recursive: true });
    server = createServer((request, answer) => {
        served.push(request.method + ' ' + request.url);
        try {
            const bytes = readFileSync(join(site, request.url === '/' ? 'index.html' : request.url));
            answer.writeHead(200, {
                'content-type': TYPES[extname(request.url === '/' ? '.html' : request.url)] || 'text/html',
            });
            answer.end(bytes);
        } catch {
            answer.writeHead(404).end();
        }
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    address = `http://127.0.0.1:${server.address().port}/`;
    browser = await Browser.start({ hosts: ['127.0.0.1'] });
});
after(async () => {
    if (browser) await browser.stop();
    server?.close();
});

const status = (page) => page.run("document.getElementById('status').textContent");
const ready = (page) => page.until("document.getElementById('status').textContent === 'Ready'");

// Chooses a file as the button does.
async function choose(page, file) {
    const { root } = await page.call('DOM.getDocument');
    const { nodeId } = await page.call('DOM.querySelector', { nodeId: root.nodeId, selector: '#file' });
    await page.call('DOM.setFileInputFiles', { nodeId, files: [file] });
}

// Drops a file of these bytes on the page.
const drop = (page, name, bytes) =>
    page.run(`(async () => {
        const bytes = Uint8Array.from(atob('${Buffer.from(bytes).toString('base64')}'), (c) => c.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], ${JSON.stringify(name)}));
        for (const type of ['dragover', 'drop'])
            document.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);

const shown = (page) =>
    page.until("document.body.dataset.shown !== undefined || document.querySelector('#status.failed')");

// The page as a reader uses it, and the frame of its report.
async function report(page, act) {
    const attached = page.nextFrame();
    await act();
    await shown(page);
    const frame = await Promise.race([
        attached,
        new Promise((_, no) => setTimeout(() => no(new Error('no frame')), 20000)),
    ]);
    await frame.drawn(10000).catch((error) => {
        throw new Error(error.message + ': ' + frame.errors.join('; '));
    });
    return frame;
}

function quiet(...pages) {
    for (const page of pages) {
        assert.deepEqual(page.errors, []);
        assert.deepEqual(page.dialogs, []);
        assert.deepEqual(
            page.requests.filter((url) => !url.startsWith(address) && !/^(?:blob|data|about):/.test(url)),
            [],
        );
    }
}

test('a chosen model becomes the report; nothing is sent', async () => {
    const page = await browser.open(address);
    await ready(page);
    await page.shot(join(screens, 'empty.png'));
    served.length = 0;
    const frame = await report(page, () => choose(page, sample('attention.onnx')));
    assert.match(await status(page), /^attention\.onnx: checked by onnx-broadcast \d/);
    assert.deepEqual(
        served.filter((line) => !OF_THE_PAGE.test(line)),
        [],
        'only files of the page are read',
    );
    assert.ok(served.every((line) => line.startsWith('GET ')));
    await page.shot(join(screens, 'report.png'));
    assert.match(await frame.run('document.title'), /^attention\.onnx/);
    assert.ok(await frame.run("document.querySelectorAll('canvas, svg').length > 0"), 'the graph is drawn');
    quiet(page, frame);
    await page.close();
});

test('the frame of the report reaches neither the page nor the network', async () => {
    const page = await browser.open(address);
    await ready(page);
    const frame = await report(page, () => choose(page, sample('digits.onnx')));
    assert.equal(await frame.run('self.origin'), 'null');
    assert.match(
        await frame.run('(() => { try { return parent.document.title } catch (e) { return e.name } })()'),
        /SecurityError/,
    );
    const before = served.length;
    assert.equal(await frame.run(`fetch('${address}secret').then(() => 'sent', () => 'refused')`), 'refused');
    assert.equal(
        await frame.run(
            `new Promise((done) => { const i = new Image(); i.onload = i.onerror = () => done('ended');
        i.src = '${address}pixel' })`,
        ),
        'ended',
    );
    assert.equal(served.length, before);
    assert.equal(await page.run(`fetch('https://example.com/').then(() => 'sent', () => 'refused')`), 'refused');
    await page.close();
});

test('models can be dropped, one after the other', async () => {
    const page = await browser.open(address);
    await ready(page);
    for (const name of ['digits.onnx', 'slope.onnx', 'digits.onnx']) {
        await page.run('delete document.body.dataset.shown');
        await drop(page, name, readFileSync(sample(name)));
        await shown(page);
        assert.match(await status(page), new RegExp(`^${name}: checked`));
        assert.equal(await page.run("document.querySelectorAll('iframe').length"), 1);
    }
    quiet(page);
    await page.close();
});

test('the explicit model can be downloaded', async () => {
    const page = await browser.open(address);
    await ready(page);
    const at = mkdtempSync(join(tmpdir(), 'ob-down-'));
    try {
        await browser.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: at });
        await report(page, () => choose(page, sample('attention.onnx')));
        await page.run(
            "(document.getElementById('form').value = 'expand', document.getElementById('download').click())",
        );
        await page.until("/explicit operators added/.test(document.getElementById('status').textContent)");
        const file = join(at, 'attention.explicit.onnx');
        for (let i = 0; i < 200 && !readdirSync(at).includes(basename(file)); i++)
            await new Promise((done) => setTimeout(done, 50));
        const native = join(at, 'native.onnx');
        execFileSync(tool('onnx-broadcast-check'), [
            sample('attention.onnx'),
            '--emit',
            'expand',
            '-o',
            native,
            '--quiet',
        ]);
        assert.ok(readFileSync(file).equals(readFileSync(native)), 'it is the file that the command writes');
    } finally {
        rmSync(at, { recursive: true, force: true });
    }
    quiet(page);
    await page.close();
});

test('a file that is no model is named with the reason, and the page goes on', async () => {
    const page = await browser.open(address);
    await ready(page);
    await drop(page, 'holiday <b>photo</b>.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]));
    await page.until("document.querySelector('#status.failed')");
    assert.match(await status(page), /^holiday <b>photo<\/b>\.jpg: .*\[E_FORMAT\]/);
    assert.equal(await page.run("document.querySelectorAll('#status b').length"), 0);
    await page.shot(join(screens, 'failed.png'));
    await drop(page, 'digits.onnx', readFileSync(sample('digits.onnx')));
    await page.until("/^digits.onnx: checked/.test(document.getElementById('status').textContent)");
    quiet(page);
    await page.close();
});

test('a model that attacks the page is only shown', async () => {
    const page = await browser.open(address);
    await ready(page);
    const attached = page.nextFrame();
    await drop(page, 'attack.onnxtxt', Buffer.from(hostileModel(ATTACKS)));
    await shown(page);
    const frame = await attached;
    await new Promise((done) => setTimeout(done, 300));
    quiet(page, frame);
    await page.close();
});

test('a check can be cancelled', async () => {
    const page = await browser.open(address);
    await ready(page);
    await drop(page, 'digits.onnx', readFileSync(sample('digits.onnx')));
    await page.run("document.getElementById('cancel').click()"); // before the worker has read the module
    assert.equal(await status(page), 'digits.onnx: cancelled');
    await new Promise((done) => setTimeout(done, 500));
    assert.equal(await status(page), 'digits.onnx: cancelled');
    quiet(page);
    await page.close();
});

test('the package runs a model in the page', async () => {
    const page = await browser.open(address);
    await ready(page);
    const bytes = readFileSync(sample('digits.onnx')).toString('base64');
    const result = await page.run(`(async () => {
        const { load } = await import('./onnx-broadcast/index.js');
        const library = await load();
        const model = library.open(Uint8Array.from(atob('${bytes}'), (c) => c.charCodeAt(0)));
        const session = model.session({ dims: { batch: 1 } });
        const [input] = session.inputs;
        const data = Uint8Array.from({ length: input.shape.reduce((a, b) => a * b, 1) }, (_, i) => i % 7);
        const [out] = Object.values(session.run({ [input.name]: data }));
        return { dims: out.dims, data: [...out.data] };
    })()`);
    const { load } = await import('../../build-wasm/package/index.js');
    const session = (await load()).open(readFileSync(sample('digits.onnx'))).session({ dims: { batch: 1 } });
    const [input] = session.inputs;
    const data = Uint8Array.from({ length: input.shape.reduce((a, b) => a * b, 1) }, (_, i) => i % 7);
    const [out] = Object.values(session.run({ [input.name]: data }));
    assert.deepEqual(result, { dims: out.dims, data: [...out.data] });
    quiet(page);
    await page.close();
});

test('dark, narrow, by keyboard', async () => {
    const page = await browser.open(address, { width: 400, height: 800, dark: true });
    await ready(page);
    await page.key('Tab');
    assert.equal(await page.run('document.activeElement.id'), 'file');
    await report(page, () => choose(page, sample('scale_bias_nchw.onnx')));
    assert.ok(await page.run('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the window');
    await page.shot(join(screens, 'narrow.png'));
    const reached = [];
    for (let i = 0; i < 4; i++) {
        reached.push(await page.run('document.activeElement.id'));
        await page.key('Tab');
    }
    assert.ok(reached.includes('form') && reached.includes('download'), reached.join());
    quiet(page);
    await page.close();
});

test('real models', async () => {
    const page = await browser.open(address);
    await ready(page);
    const files = models().filter((file) => file.startsWith(shared));
    for (const file of files) {
        await page.run('delete document.body.dataset.shown');
        const begun = Date.now();
        await choose(page, file);
        await shown(page);
        assert.match(await status(page), /: checked/, file + ': ' + (await status(page)));
        if (Date.now() - begun > 5000) console.log(`# ${file}: ${Date.now() - begun} ms`);
    }
    console.log(files.length ? `# ${files.length} real models` : '# skipped: the shared models are not here');
    quiet(page);
    await page.close();
});
