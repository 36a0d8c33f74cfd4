// The server answers only who came by the launch link, from this machine: asked directly, from a page of another
// port on this machine, and from a page whose name was rebound to this machine.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { after, before, test } from "node:test";
import { launch, open } from "../browser.mjs";
import { imported, serve } from "../server.mjs";

const LOOK = encodeURIComponent('{"view":"tasks.dag","run":0}');
const PICTURE = `/api/picture?format=svg&look=${LOOK}`;

let server, token, cookie, browser;

before(async () => {
  server = await serve(imported("nested_sections"));
  token = new URL(server.link).searchParams.get("token");
  cookie = (await get(server.link)).headers["set-cookie"][0];
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.stop();
});

/** One GET with exactly these headers; fetch would not let us set Host. */
function get(url, headers = {}) {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers, agent: false }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => (body += part));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
    });
    call.on("upgrade", (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode, headers: answer.headers, body: "" });
    });
    call.on("error", reject);
    call.end();
  });
}

const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const offered = () => ({ "sec-websocket-protocol": `crosscut, token.${token}` });
const withCookie = (headers = {}) => ({ cookie: cookie.split(";")[0], ...headers });

test("the launch link sets a cookie that is not the token, and that no script and no other site can use", () => {
  assert.match(cookie, /HttpOnly/i);
  assert.match(cookie, /SameSite=Strict/i);
  assert.ok(cookie.startsWith(`crosscut-${new URL(server.origin).port}=`));
  assert.ok(!cookie.includes(token));
});

test("with the cookie the page comes, and nothing else", async () => {
  const page = await get(`${server.origin}/`, withCookie());
  assert.equal(page.status, 200);
  assert.match(page.body, /<script/);
  assert.equal((await get(server.origin + PICTURE, withCookie())).status, 403);
  assert.equal((await get(`${server.origin}/api/socket`, withCookie(UPGRADE))).status, 403);
});

test("with the token pictures and the socket come", async () => {
  const picture = await get(server.origin + PICTURE, { authorization: `Bearer ${token}` });
  assert.equal(picture.status, 200);
  assert.match(picture.body, /<svg/);
  const socket = await get(`${server.origin}/api/socket`, { ...UPGRADE, ...offered() });
  assert.equal(socket.status, 101);
  assert.equal(socket.headers["sec-websocket-protocol"], "crosscut");
});

test("without a token nothing comes", async () => {
  for (const path of ["/", PICTURE, "/api/socket"]) {
    const answer = await get(server.origin + path);
    assert.equal(answer.status, 403, path);
    assert.doesNotMatch(answer.body, /<svg|<script/);
  }
});

test("a wrong token is refused", async () => {
  const answer = await get(`${server.origin}/?token=wrong`);
  assert.equal(answer.status, 403);
  assert.equal(answer.headers["set-cookie"], undefined);
});

test("a foreign Host is refused, even with the cookie or the token", async () => {
  for (const host of ["example.com", `example.com:${new URL(server.origin).port}`]) {
    assert.equal((await get(`${server.origin}/`, withCookie({ host }))).status, 403);
    assert.equal((await get(server.link, { host })).status, 403);
  }
});

test("a foreign Origin cannot open the socket, even with the token", async () => {
  const headers = { ...UPGRADE, ...offered(), origin: "http://example.com" };
  assert.equal((await get(`${server.origin}/api/socket`, headers)).status, 403);
});

test("the page takes the token out of its address, and another window needs none", async () => {
  const page = await open(browser, `${server.link}#v=1&p=tasks.dag:0`);
  assert.doesNotMatch(page.url(), /token/);
  assert.match(page.url(), /#v=1&p=tasks\.dag:0/);
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.waitForFunction(() => window.crosscut?.ready === true, undefined, { timeout: 20_000 });
  await second.close();
  await page.context().close();
});

/** A server of somebody else on this machine; what it was sent is in `heard`. */
async function neighbour(html) {
  const heard = [];
  const other = createServer((call, answer) => {
    heard.push({ url: call.url, cookie: call.headers.cookie ?? "" });
    answer.setHeader("content-type", "text/html").end(html);
  });
  await new Promise((done) => other.listen(0, "127.0.0.1", done));
  return { heard, origin: `http://127.0.0.1:${other.address().port}`, stop: () => other.close() };
}

/** What a page can get from an address: the status or "refused" of a picture and of the page, and of a socket. */
function probe([origin, picture, protocols]) {
  const tried = (how) =>
    how.then(
      async (answer) => ((await answer.text()).match(/<svg|<script/) ? "content" : String(answer.status)),
      () => "refused",
    );
  const socket = new Promise((done) => {
    const ws = new WebSocket(`${origin.replace("http", "ws")}/api/socket`, protocols);
    ws.onopen = () => done("open");
    ws.onerror = () => done("refused");
  });
  const fetched = (path) => tried(fetch(origin + path, { credentials: "include" }));
  return Promise.all([fetched("/"), fetched(picture), socket]);
}

test("a page of another port receives the cookie, and has nothing from it", async () => {
  const page = await open(browser, server.link);
  const other = await neighbour("<title>other</title>");
  try {
    const tab = await page.context().newPage();
    await tab.goto(other.origin);
    const received = other.heard.map((call) => call.cookie).join("; ");
    assert.ok(received.includes(cookie.split("=")[0]), `the browser sends it: ${received}`);
    // In the browser, from that page.
    const got = await tab.evaluate(probe, [server.origin, PICTURE, ["crosscut"]]);
    assert.deepEqual(got, ["refused", "refused", "refused"]);
    // On its own, with all headers as the real page would send them.
    const forged = { cookie: received, origin: server.origin, "sec-fetch-site": "same-origin" };
    assert.equal((await get(`${server.origin}/api/socket`, { ...UPGRADE, ...forged })).status, 403);
    assert.equal((await get(server.origin + PICTURE, forged)).status, 403);
    // What is kept for our page is not there for that one.
    assert.equal(await tab.evaluate(() => localStorage.getItem("crosscut.token")), null);
  } finally {
    other.stop();
    await page.context().close();
  }
});

test("a name that is rebound to this machine gets nothing", async () => {
  const { port } = new URL(server.origin);
  const name = `http://rebound.example:${port}`;
  // The browser itself asks before a public page may reach this machine; here the server has to stand alone.
  const rebound = await launch(
    "--host-resolver-rules=MAP rebound.example 127.0.0.1",
    "--disable-features=LocalNetworkAccessChecks",
  );
  try {
    const page = await rebound.newPage();
    // The attacker's page came from the attacker's machine, before its name was given another address.
    await page.route(`${name}/attack`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>attack</title>" }),
    );
    await page.goto(`${name}/attack`);
    const statuses = [];
    page.on("response", (answer) => statuses.push(answer.status()));
    for (const protocols of [["crosscut"], ["crosscut", `token.${token}`]]) {
      const got = await page.evaluate(probe, [name, PICTURE, protocols]);
      assert.deepEqual(got, ["403", "403", "refused"]);
    }
    assert.equal((await page.goto(`${name}/?token=${token}`)).status(), 403);
    assert.ok(
      statuses.length >= 4 && statuses.every((status) => status === 403),
      `it was asked: ${statuses}`,
    );
    // The same page is let in under the server's own address: it is the name that is refused.
    await page.goto(server.link);
    const own = await page.evaluate(probe, [server.origin, "/", ["crosscut", `token.${token}`]]);
    assert.deepEqual(own, ["content", "content", "open"]);
  } finally {
    await rebound.close();
  }
});
