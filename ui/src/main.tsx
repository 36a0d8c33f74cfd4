// Where the page begins in a browser window of its own: mounts it over the server's socket, and hangs the
// probe for tests on the window.

import { browserHost } from "./host";
import { createPage } from "./page";
import { SocketTransport } from "./socket";
import { takeToken } from "./token";
import "./theme.css";

const token = takeToken(); // before anything reads the address
const root = document.getElementById("page")!;
const socket = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/api/socket`;
window.crosscut = createPage(
  root,
  browserHost(root),
  new SocketTransport(socket, token, "/api/picture"),
).probe;
