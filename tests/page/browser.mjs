// A headless Chromium, driven over a pipe (Chrome DevTools Protocol). No port is opened.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';
const SLOWEST = 120000; // ms for one call

export class Browser {
    // No host can be reached but those of `hosts`.
    static async start({ hosts = [] } = {}) {
        const browser = new Browser();
        browser.folder = mkdtempSync(join(tmpdir(), 'ob-page-'));
        const flags = [
            '--headless=new',
            '--remote-debugging-pipe',
            '--user-data-dir=' + browser.folder,
            '--no-first-run',
            '--no-default-browser-check',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
            '--disable-extensions',
            '--disable-default-apps',
            '--disable-gpu',
            '--disable-dev-shm-usage',
            '--hide-scrollbars',
            '--mute-audio',
            '--password-store=basic',
            '--host-resolver-rules=' + ['MAP * ~NOTFOUND', ...hosts.map((host) => 'EXCLUDE ' + host)].join(', '),
        ];
        if (process.getuid && process.getuid() === 0) flags.push('--no-sandbox');
        browser.process = spawn(CHROMIUM, [...flags, 'about:blank'], {
            stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
        });
        browser.ended = new Promise((done) => browser.process.once('exit', done));
        browser.process.once('error', (error) => browser.fail(error));
        browser.process.once('exit', () => browser.fail(new Error('Chromium ended')));
        browser.out = browser.process.stdio[3];
        browser.waiting = new Map();
        browser.sessions = new Map();
        browser.n = 0;
        let rest = Buffer.alloc(0);
        browser.process.stdio[4].on('data', (bytes) => {
            rest = Buffer.concat([rest, bytes]);
            for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
                browser.take(JSON.parse(rest.subarray(0, end)));
        });
        browser.out.on('error', () => {});
        await browser.call('Browser.getVersion');
        return browser;
    }

    fail(error) {
        for (const { reject } of this.waiting.values()) reject(error);
        this.waiting.clear();
    }

    take(message) {
        if (message.id) {
            const wait = this.waiting.get(message.id);
            this.waiting.delete(message.id);
            if (!wait) return;
            clearTimeout(wait.timer);
            if (message.error) wait.reject(new Error(wait.method + ': ' + message.error.message));
            else wait.resolve(message.result);
        } else if (message.sessionId && this.sessions.has(message.sessionId)) this.sessions.get(message.sessionId)(message);
    }

    call(method, params = {}, sessionId) {
        const id = ++this.n;
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => reject(new Error(method + ' takes longer than ' + SLOWEST + ' ms')), SLOWEST);
            this.waiting.set(id, { resolve, reject, timer, method });
            this.out.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
        });
    }

    // A page with what went wrong in it: {errors, dialogs, requests}.
    async open(url, { width = 1440, height = 900, dark = false, script = true, media } = {}) {
        const { targetId } = await this.call('Target.createTarget', { url: 'about:blank' });
        const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
        const page = new Tab(this, targetId, sessionId);
        this.sessions.set(sessionId, (message) => page.take(message));
        await page.listen();
        await page.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
        await page.call('Emulation.setEmulatedMedia', {
            media: media || '',
            features: [
                { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
                { name: 'prefers-reduced-motion', value: 'reduce' },
            ],
        });
        if (!script) await page.call('Emulation.setScriptExecutionDisabled', { value: true });
        const loaded = page.once('Page.loadEventFired');
        await page.call('Page.navigate', { url });
        await loaded;
        return page;
    }

    async stop() {
        try {
            await this.call('Browser.close');
        } catch {
            this.process.kill();
        }
        await this.ended;
        rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
}

export class Tab {
    constructor(browser, targetId, sessionId) {
        Object.assign(this, { browser, targetId, sessionId, errors: [], dialogs: [], requests: [], listeners: [] });
    }
    call(method, params) {
        return this.browser.call(method, params, this.sessionId);
    }
    async listen() {
        for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await this.call(domain + '.enable');
    }
    // The next frame in a process of its own, as a page beside this one.
    async nextFrame() {
        const attached = this.once('Target.attachedToTarget');
        const filter = [{ type: 'iframe' }];
        await this.call('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter });
        return attached.then(async ({ sessionId, targetInfo }) => {
            const frame = new Tab(this.browser, targetInfo.targetId, sessionId);
            this.browser.sessions.set(sessionId, (message) => frame.take(message));
            await frame.listen();
            return frame;
        });
    }
    once(method) {
        return new Promise((done) => this.listeners.push({ method, done }));
    }
    take({ method, params }) {
        if (method === 'Runtime.exceptionThrown')
            this.errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
        if (method === 'Runtime.consoleAPICalled' && /error|warning|assert/.test(params.type))
            this.errors.push(params.args.map((a) => a.value).join(' '));
        if (method === 'Log.entryAdded' && /error|warning/.test(params.entry.level)) this.errors.push(params.entry.text);
        if (method === 'Page.javascriptDialogOpening') {
            this.dialogs.push(params.message);
            this.call('Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
        }
        if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url.slice(0, 200));
        this.listeners = this.listeners.filter((l) => l.method !== method || (l.done(params), false));
    }
    async run(expression) {
        const { result, exceptionDetails } = await this.call('Runtime.evaluate', {
            expression: `(async () => (${expression}))()`,
            awaitPromise: true,
            returnByValue: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
        return result.value;
    }
    async until(expression, ms = 60000) {
        const end = Date.now() + ms;
        while (Date.now() < end) {
            if (await this.run(expression)) return;
            await new Promise((done) => setTimeout(done, 25));
        }
        throw new Error('not within ' + ms + ' ms: ' + expression);
    }
    drawn(ms) {
        return this.until("document.querySelector('.app') && document.querySelector('.app').dataset.drawn", ms);
    }
    async key(key, modifiers = 0) {
        const text = key.length === 1 ? key : undefined;
        await this.call('Input.dispatchKeyEvent', {
            type: text ? 'keyDown' : 'rawKeyDown',
            key,
            text,
            modifiers,
            windowsVirtualKeyCode: { Enter: 13, Escape: 27, Tab: 9 }[key],
        });
        await this.call('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers });
    }
    async click(x, y, clickCount = 1) {
        for (const type of ['mousePressed', 'mouseReleased'])
            await this.call('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount });
    }
    async type(text) {
        await this.call('Input.insertText', { text });
    }
    async shot(file, still) {
        if (!still) await this.run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        const { data } = await this.call('Page.captureScreenshot', { format: 'png' });
        writeFileSync(file, Buffer.from(data, 'base64'));
    }
    async close() {
        await this.browser.call('Target.closeTarget', { targetId: this.targetId });
    }
}
