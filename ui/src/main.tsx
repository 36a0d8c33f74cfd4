// Where the page begins: hangs the probe for tests on the window, connects, and mounts the frame.

import { render } from "solid-js/web";
import { App } from "./app";
import { start } from "./page";
import { probe } from "./probe";
import "./theme.css";

window.crosscut = probe;
start();
render(() => <App />, document.getElementById("page")!);
