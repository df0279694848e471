import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@xyflow/react/dist/base.css";
import "./style/tokens.css";
import "./style/page.css";
import "./style/tables.css";
import "./style/conversation.css";
import "./style/graph.css";
import "./style/compare.css";
import "./style/curves.css";
import "./style/review.css";
import { App, applyTheme } from "./app.tsx";
import { exportSource } from "./export-source.ts";
import { factOf, setSource } from "./source.ts";

// The token has become a cookie; it need not stay in the address, where it would be shared and kept in the history.
const { pathname, search, hash } = window.location;
if (search.includes("token=")) window.history.replaceState(null, "", `${pathname}${hash}`);

if (factOf("export") !== "") setSource(exportSource());
applyTheme();
const place = document.getElementById("page");
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
