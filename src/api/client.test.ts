import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { type Client, openClient } from "./client.ts";
import { ApiRefusal, ClusterNotReachable, KubeconfigProblem } from "./errors.ts";

const scratch = mkdtempSync(join(tmpdir(), "holdfast-client-"));
const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(scratch, { recursive: true, force: true });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

type Part = Readonly<Record<string, unknown>>;
let files = 0;

function kubeconfig(server: string, user: Part = { token: "secret-token" }, cluster: Part = {}): string {
  files += 1;
  const path = join(scratch, `config-${files}`);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "here", context: { cluster: "c", user: "u" } }],
    "current-context": "here",
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const options = { context: null, environment: new Map<string, string>(), timeoutMs: 2000, answerBytesMax: 1 << 20 };

function open(path: string, more: Partial<typeof options> = {}): Promise<Client> {
  return openClient({ ...options, ...more, kubeconfig: path });
}

async function served(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`;
}

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A server that gives these answers one after the other, the last one again and again. */
async function replies(
  ...list: readonly Reply[]
): Promise<{ readonly server: string; readonly heard: IncomingHttpHeaders[] }> {
  const heard: IncomingHttpHeaders[] = [];
  const server = await served((request, response) => {
    const { status = 200, headers = {}, body = "{}" } = list[Math.min(heard.length, list.length - 1)] ?? {};
    heard.push(request.headers);
    response.writeHead(status, headers);
    response.end(body);
  });
  return { server, heard };
}

const status = (message: string): string => JSON.stringify({ kind: "Status", message });

describe("what a server may answer", () => {
  test("a redirect is told, never followed: no credentials go anywhere else", async () => {
    const elsewhere = await replies({});
    const { server } = await replies({ status: 302, headers: { location: `${elsewhere.server}/api` } });
    const client = await open(kubeconfig(server));
    await assert.rejects(client.get("/api"), (error: Error) => {
      assert.ok(error instanceof ClusterNotReachable);
      assert.match(error.message, /points to http:\/\/127\.0\.0\.1:\d+\/api, which is not followed/);
      return true;
    });
    assert.deepEqual(elsewhere.heard, []);
  });

  const rows: readonly (readonly [string, Reply, typeof ApiRefusal | typeof ClusterNotReachable, RegExp])[] = [
    [
      "401",
      { status: 401, body: status("Unauthorized") },
      ClusterNotReachable,
      /Unauthorized; they may have expired: log in/,
    ],
    ["403", { status: 403, body: status("pods is forbidden") }, ApiRefusal, /^pods is forbidden$/],
    [
      "429 for good",
      { status: 429, headers: { "retry-after": "0" }, body: status("slow down") },
      ApiRefusal,
      /slow down; the server is busy/,
    ],
    ["500 without words", { status: 500, body: "<html>" }, ApiRefusal, /^status 500$/],
    ["a login page", { body: "<html>please log in</html>" }, ApiRefusal, /is no JSON: is there a login page/],
    ["JSON cut short", { body: '{"items":[' }, ApiRefusal, /is no JSON/],
    ["too much", { body: `"${"x".repeat(2 << 20)}"` }, ApiRefusal, /larger than 1048576 bytes/],
    [
      "much that was packed small",
      { headers: { "content-encoding": "gzip" }, body: gzipSync(Buffer.alloc(8 << 20, 0x20)) },
      ApiRefusal,
      /larger than 1048576 bytes/,
    ],
    [
      "broken gzip",
      { headers: { "content-encoding": "gzip" }, body: "no gzip" },
      ClusterNotReachable,
      /incorrect header check/,
    ],
  ];
  for (const [name, reply, type, says] of rows) {
    test(name, async () => {
      const { server } = await replies(reply);
      const client = await open(kubeconfig(server));
      await assert.rejects(client.get("/api/v1/pods"), (error: Error) => {
        assert.ok(error instanceof type, error.constructor.name);
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /secret-token/);
        return true;
      });
    });
  }

  test("packed answers are unpacked", async () => {
    const { server } = await replies({ headers: { "content-encoding": "gzip" }, body: gzipSync('{"a":1}') });
    assert.deepEqual(await (await open(kubeconfig(server))).get("/x"), { a: 1 });
  });

  test("a busy server is asked again when it says", async () => {
    const busy = { status: 503, headers: { "retry-after": "0" } };
    const { server, heard } = await replies(busy, busy, { body: '{"a":1}' });
    assert.deepEqual(await (await open(kubeconfig(server))).get("/x"), { a: 1 });
    assert.equal(heard.length, 3);
  });

  test("a server that never answers", async () => {
    const server = await served(() => {});
    const client = await open(kubeconfig(server), { timeoutMs: 100 });
    await assert.rejects(client.get("/x"), /no answer within 0\.1 s; is a VPN or a proxy needed\?/);
  });

  test("a server that stops in the middle", async () => {
    const server = await served((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"a":');
    });
    const client = await open(kubeconfig(server), { timeoutMs: 150 });
    await assert.rejects(client.get("/x"), ClusterNotReachable);
  });

  test("nobody listens", async () => {
    const client = await open(kubeconfig("http://127.0.0.1:1"));
    await assert.rejects(client.get("/x"), /ECONNREFUSED.*nobody listens there/);
  });

  test("connections are used again", async () => {
    const sockets = new Set<Socket>();
    const server = await served((request, response) => {
      sockets.add(request.socket);
      response.end("{}");
    });
    const client = await open(kubeconfig(server));
    for (let i = 0; i < 5; i += 1) await client.get("/x");
    assert.equal(sockets.size, 1);
  });
});

describe("what a kubeconfig may say", () => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ["no web address", "ftp://example.com", /no web address: ftp:\/\/example\.com/],
    ["no address at all", "::", /no web address/],
    ["plain http to another machine", "http://api.example.com:8080", /is not encrypted \(http\)/],
    ["plain http to a name that only looks like this machine", "http://127.0.0.1.example.com", /is not encrypted/],
  ];
  for (const [name, server, says] of rows) {
    test(name, () =>
      assert.rejects(open(kubeconfig(server)), (error: Error) => {
        assert.ok(error instanceof KubeconfigProblem);
        assert.match(error.message, says);
        return true;
      }),
    );
  }

  test("a user to impersonate is passed on", async () => {
    const { server, heard } = await replies({});
    await (await open(kubeconfig(server, { token: "t", as: "auditor" }))).get("/x");
    assert.equal(heard[0]?.["impersonate-user"], "auditor");
    assert.equal(heard[0]?.authorization, "Bearer t");
  });

  test("so are the groups and everything else it acts with", async () => {
    const { server, heard } = await replies({});
    const user = {
      token: "t",
      as: "auditor",
      "as-uid": "0f1e",
      "as-groups": ["readers", "eu"],
      "as-user-extra": { "example.com/Scopes": ["view"] },
    };
    await (await open(kubeconfig(server, user))).get("/x");
    assert.equal(heard[0]?.["impersonate-user"], "auditor");
    assert.equal(heard[0]?.["impersonate-uid"], "0f1e");
    assert.equal(heard[0]?.["impersonate-group"], "readers, eu");
    assert.equal(heard[0]?.["impersonate-extra-example.com%2fscopes"], "view");
  });

  test("nobody acts as somebody else by groups alone", async () => {
    const { server, heard } = await replies({});
    await (await open(kubeconfig(server, { token: "t", "as-groups": ["readers"] }))).get("/x");
    assert.equal(heard[0]?.["impersonate-group"], undefined);
  });

  test("name and password", async () => {
    const { server, heard } = await replies({});
    await (await open(kubeconfig(server, { username: "u", password: "p" }))).get("/x");
    assert.equal(heard[0]?.authorization, `Basic ${Buffer.from("u:p").toString("base64")}`);
  });
});

describe("credential plugins", { skip: process.platform === "win32" ? "shell scripts" : false }, () => {
  function plugin(script: string): Part {
    files += 1;
    const command = join(scratch, `plugin-${files}`);
    writeFileSync(command, `#!/bin/sh\n${script}\n`);
    chmodSync(command, 0o755);
    return {
      exec: { apiVersion: "client.authentication.k8s.io/v1", command, args: ["token"], interactiveMode: "Never" },
    };
  }

  test("the token of one is sent", async () => {
    const { server, heard } = await replies({});
    const credential = { kind: "ExecCredential", status: { token: "from-plugin" } };
    await (await open(kubeconfig(server, plugin(`echo '${JSON.stringify(credential)}'`)))).get("/x");
    assert.equal(heard[0]?.authorization, "Bearer from-plugin");
  });

  const rows: readonly (readonly [string, Part, RegExp])[] = [
    [
      "one that fails",
      plugin("echo 'SSO session expired, run aws sso login' >&2; exit 1"),
      /fails: SSO session expired/,
    ],
    ["one that says nothing", plugin("exit 3"), /fails: it says nothing/],
    ["one that answers nonsense", plugin("echo hello"), /fails: /],
    ["one that never ends", plugin("exec sleep 3"), /fails: no answer within 0\.3 s/],
    [
      "one that is not installed",
      { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "no-such-plugin-here" } },
      /asks the program no-such-plugin-here for credentials, and it is not installed/,
    ],
  ];
  for (const [name, user, says] of rows) {
    test(name, async () => {
      const { server, heard } = await replies({});
      const client = await open(kubeconfig(server, user), { timeoutMs: 300 });
      await assert.rejects(client.get("/x"), (error: Error) => {
        assert.ok(error instanceof ClusterNotReachable);
        assert.match(error.message, says);
        return true;
      });
      assert.deepEqual(heard, [], "nothing is sent without credentials");
    });
  }
});

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("encryption", { skip: hasOpenssl() ? false : "needs openssl" }, () => {
  const folder = join(scratch, "tls");
  const at = (name: string): string => join(folder, name);
  const openssl = (...words: readonly string[]): void => {
    execFileSync("openssl", words, { cwd: folder, stdio: "ignore" });
  };

  /** An authority, a server's certificate for 127.0.0.1 and a client's. */
  function certificates(): void {
    mkdirSync(folder, { recursive: true });
    const key = ["-newkey", "rsa:2048", "-nodes"];
    openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=ca", "-days", "2");
    writeFileSync(at("server.ext"), "subjectAltName=IP:127.0.0.1");
    for (const [name, subject] of [
      ["server", "/CN=127.0.0.1"],
      ["client", "/CN=tester/O=team"],
    ] as const) {
      openssl("req", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", subject);
      const extensions = name === "server" ? ["-extfile", "server.ext"] : [];
      const sign = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", ...extensions];
      openssl("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.crt`, ...sign);
    }
  }

  const base64 = (name: string): string => readFileSync(at(name)).toString("base64");

  async function secured(): Promise<string> {
    certificates();
    const server = createTlsServer(
      {
        key: readFileSync(at("server.key")),
        cert: readFileSync(at("server.crt")),
        ca: readFileSync(at("ca.crt")),
        requestCert: true,
        rejectUnauthorized: false,
      },
      (request, response) => {
        const { socket, headers } = request;
        const subject = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
        response.end(JSON.stringify({ peer: subject?.CN ?? "", authorization: headers.authorization ?? "" }));
      },
    );
    return `https://127.0.0.1:${await listen(server)}`;
  }

  test("the kubeconfig's authority, a client's certificate, no check where it says so, and a proxy", async () => {
    const server = await secured();
    const ca = { "certificate-authority-data": base64("ca.crt") };
    await assert.rejects(
      (await open(kubeconfig(server))).get("/x"),
      /not signed by the authority that the kubeconfig names/,
    );

    const trusting = await open(kubeconfig(server, { token: "t" }, ca));
    assert.deepEqual(await trusting.get("/x"), { peer: "", authorization: "Bearer t" });

    const blind = await open(kubeconfig(server, { token: "t" }, { "insecure-skip-tls-verify": true }));
    assert.equal((await blind.get("/x"))["authorization"], "Bearer t");

    const certificate = { "client-certificate-data": base64("client.crt"), "client-key-data": base64("client.key") };
    assert.equal((await (await open(kubeconfig(server, certificate, ca))).get("/x"))["peer"], "tester");

    const named = await open(kubeconfig(server, { token: "t" }, { ...ca, "tls-server-name": "other.example" }));
    await assert.rejects(named.get("/x"), /certificate is for another name/);

    const tunnels: string[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, socket: Socket) => {
      tunnels.push(request.url ?? "");
      const [host = "", port = ""] = (request.url ?? "").split(":");
      const there = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        there.pipe(socket).pipe(there);
      });
      for (const end of [socket, there]) end.on("error", () => {});
      socket.on("close", () => there.destroy());
    });
    const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
    const through = await open(kubeconfig(server, { token: "t" }, { ...ca, "proxy-url": proxyUrl }));
    assert.deepEqual(await through.get("/x"), { peer: "", authorization: "Bearer t" });
    assert.equal(tunnels.length, 1);

    const nowhere = await open(kubeconfig(server, { token: "t" }, { ...ca, "proxy-url": "http://127.0.0.1:1" }));
    await assert.rejects(nowhere.get("/x"), ClusterNotReachable);
  });
});
