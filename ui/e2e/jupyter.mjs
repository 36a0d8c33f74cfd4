// JupyterLab, started for a test on a free port with a folder of its own, and a notebook opened in it until its kernel is
// ready. PYTHON names a Python that has jupyterlab and crosscut.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const PYTHON = process.env.PYTHON ?? "python3";

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A notebook with these cells, as its file has it. */
export function notebook(...sources) {
  const cells = sources.map((source, i) => ({
    id: `cell-${i}`,
    cell_type: "code",
    execution_count: null,
    metadata: {},
    outputs: [],
    source,
  }));
  const kernelspec = { name: "python3", display_name: "Python 3", language: "python" };
  return { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 };
}

/**
 * Starts JupyterLab. Notebooks lie in `folder`; settings by the name of their plugin; `stop` ends it and takes its files
 * away.
 */
export async function startLab(settings = {}) {
  const home = mkdtempSync(join(tmpdir(), "crosscut-lab-"));
  const folder = join(home, "notebooks");
  mkdirSync(folder);
  const quiet = {
    "@jupyterlab/apputils-extension:notification": { fetchNews: "false", checkForUpdates: false },
  };
  for (const [plugin, value] of Object.entries({ ...quiet, ...settings })) {
    const file = join(home, "config/lab/user-settings", `${plugin.replace(":", "/")}.jupyterlab-settings`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
  }
  const [port, token] = [await freePort(), "test"];
  const args = ["-m", "jupyterlab", "--no-browser", `--ServerApp.port=${port}`, "--ServerApp.port_retries=0"];
  args.push(`--IdentityProvider.token=${token}`, `--ServerApp.root_dir=${folder}`);
  args.push("--ServerApp.ip=127.0.0.1", "--LabApp.expose_app_in_browser=True");
  // The same server has Notebook 7.
  args.push("--JupyterNotebookApp.expose_app_in_browser=True");
  if (process.getuid?.() === 0) args.push("--allow-root");
  const env = {
    ...process.env,
    JUPYTER_CONFIG_DIR: join(home, "config"),
    JUPYTERLAB_SETTINGS_DIR: join(home, "config/lab/user-settings"),
    JUPYTERLAB_WORKSPACES_DIR: join(home, "workspaces"),
    JUPYTER_DATA_DIR: join(home, "data"),
    JUPYTER_RUNTIME_DIR: join(home, "runtime"),
    IPYTHONDIR: join(home, "ipython"),
  };
  const server = spawn(PYTHON, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (said += text));
  const ended = new Promise((done) => server.on("exit", done));
  const kill = () => server.kill();
  process.on("exit", kill);
  const origin = `http://127.0.0.1:${port}`;
  await answering(`${origin}/api/status?token=${token}`, server, () => said);
  const stop = async () => {
    process.off("exit", kill);
    server.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  return { origin, token, folder, stop };
}

async function answering(url, server, said) {
  for (let tries = 0; tries < 600; tries++) {
    if (server.exitCode !== null) throw new Error(`JupyterLab ended:\n${said()}`);
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // Not yet.
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`JupyterLab does not answer:\n${said()}`);
}

const LONG = { timeout: 60_000 };

/** A notebook open in a window: its cells are run one by one, and its widgets asked. */
export class Notebook {
  constructor(page) {
    this.page = page;
  }

  /** Writes a notebook and opens it; waits until its kernel is idle, which the page says too early. */
  static async open(
    browser,
    lab,
    name,
    file,
    { theme = "light", width = 1280, height = 900, prepare, app = "doc/tree" } = {},
  ) {
    writeFileSync(join(lab.folder, name), JSON.stringify(file));
    const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(error.message));
    const opened = new Notebook(page);
    opened.prepared = prepare?.(page);
    await opened.load(lab, name, app);
    // The server keeps what was chosen last.
    await opened.theme(theme === "dark" ? "JupyterLab Dark" : "JupyterLab Light");
    return opened;
  }

  /** Opens it in JupyterLab ("doc/tree") or in Notebook 7 ("notebooks"). */
  async load(lab, name, app = "doc/tree") {
    await this.page.goto(`${lab.origin}/${app}/${name}?token=${lab.token}`);
    await this.page.waitForSelector(".jp-Notebook .jp-CodeCell", LONG);
    await this.idle();
  }

  /** Until the kernel is connected and has nothing to do. */
  idle() {
    return this.page.waitForFunction(
      () => {
        const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
        return kernel?.connectionStatus === "connected" && kernel.status === "idle";
      },
      undefined,
      LONG,
    );
  }

  /** Until the kernel runs a cell. */
  busy() {
    return this.page.waitForFunction(
      () => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === "busy",
    );
  }

  /** Takes a theme, and waits until the curtain is up again. */
  async theme(name) {
    await this.page.evaluate(
      (to) => window.jupyterapp.commands.execute("apputils:change-theme", { theme: to }),
      name,
    );
    await this.page.waitForSelector("#jupyterlab-splash", { state: "detached", ...LONG });
  }

  cell(index) {
    return this.page.locator(".jp-Notebook .jp-CodeCell").nth(index);
  }

  /** Begins to run a cell. */
  async start(index) {
    await this.page.evaluate((at) => {
      const { content } = window.jupyterapp.shell.currentWidget;
      content.activeCellIndex = at;
      content.deselectAll();
      void window.jupyterapp.commands.execute("notebook:run-cell");
    }, index);
  }

  /** Runs a cell to its end; what it printed. */
  async run(index) {
    const prompt = this.cell(index).locator(".jp-InputPrompt");
    const before = await prompt.textContent();
    await this.start(index);
    await this.page.waitForFunction(
      ([el, old]) => /\[\d+\]/.test(el.textContent) && el.textContent !== old,
      [await prompt.elementHandle(), before],
      LONG,
    );
    await this.idle();
    return this.printed(index);
  }

  async printed(index) {
    const all = await this.cell(index)
      .locator(".jp-OutputArea-output:not(:has(.crosscut-host))")
      .allTextContents();
    const text = all.join("").trim();
    if (/Traceback/.test(text)) throw new Error(`cell ${index}: ${text}`);
    return text;
  }

  /** Writes another text into a cell. */
  edit(index, source) {
    return this.page.evaluate(
      ([at, text]) =>
        window.jupyterapp.shell.currentWidget.content.widgets[at].model.sharedModel.setSource(text),
      [index, source],
    );
  }

  /** The pages that live in a cell. */
  boxes(index) {
    return this.cell(index).locator(".crosscut-cell");
  }

  /** Scrolls the notebook until the pages of a cell are on the screen. */
  async show(index, nth = 0) {
    const box = this.boxes(index).nth(nth);
    await box.evaluate((el) => el.scrollIntoView({ block: "start" }));
    await this.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  }

  /** Where a page draws, in pixels of the window. */
  canvas(index, nth = 0) {
    return this.boxes(index).nth(nth).locator("section.pane canvas").first().boundingBox();
  }

  /** Asks the probe of a page: `ask` is called with it in the browser. */
  async probe(index, ask, arg, nth = 0) {
    const box = this.boxes(index).nth(nth);
    return box.evaluate(
      (el, [text, value]) => new Function("probe", "arg", `return (${text})(probe, arg)`)(el.crosscut, value),
      [String(ask), arg],
    );
  }

  /** Waits until a page in a cell has drawn and says yes to a question. */
  async until(index, ask, arg, nth = 0) {
    const box = this.boxes(index).nth(nth);
    await box.waitFor(LONG);
    await this.page.waitForFunction(
      ([el, text, value]) => {
        const test = new Function("probe", "arg", `return (${text})(probe, arg)`);
        return el.crosscut.ready && el.crosscut.marks().length > 0 && test(el.crosscut, value);
      },
      [await box.elementHandle(), String(ask), arg],
      LONG,
    );
  }

  save() {
    return this.page.evaluate(() => window.jupyterapp.commands.execute("docmanager:save"));
  }

  async close() {
    await this.page.context().close();
  }
}
