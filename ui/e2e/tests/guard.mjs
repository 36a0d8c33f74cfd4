// The server answers only who came by the launch link, from this machine.

import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { imported, serve } from "../server.mjs";

let server;
let cookie;

before(async () => {
  server = await serve(imported("nested_sections"));
  const entry = await get(server.link);
  cookie = entry.headers["set-cookie"]?.[0];
});
after(() => server.stop());

/** One GET with exactly these headers; fetch would not let us set Host. */
function get(url, headers = {}) {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => (body += part));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
    });
    call.on("error", reject);
    call.end();
  });
}

const withCookie = (headers = {}) => ({ cookie: cookie.split(";")[0], ...headers });

test("the launch link sets a cookie that no script and no other site can use, and drops the token", async () => {
  const entry = await get(server.link);
  assert.ok(entry.status >= 300 && entry.status < 400);
  assert.match(cookie, /HttpOnly/i);
  assert.match(cookie, /SameSite=Strict/i);
  assert.doesNotMatch(entry.headers.location, /token/);
});

test("with the cookie the page comes", async () => {
  const page = await get(`${server.origin}/`, withCookie());
  assert.equal(page.status, 200);
  assert.match(page.body, /<script/);
});

test("without a token nothing comes", async () => {
  for (const path of ["/", '/api/picture?format=svg&look={"view":"tasks.dag","run":0}', "/api/socket"]) {
    const answer = await get(`${server.origin}${path}`);
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

test("a foreign Origin cannot open the socket", async () => {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    origin: "http://example.com",
  };
  const answer = await get(`${server.origin}/api/socket`, withCookie(upgrade));
  assert.equal(answer.status, 403);
});
