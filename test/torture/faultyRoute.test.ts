import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { FaultyRoute } from "../../torture/postgres/faultyRoute.ts";

/** Says what it hears. */
let echo: Server;
let route: FaultyRoute;
let client: Socket;
let heard = "";

beforeEach(async () => {
  echo = createServer((socket) => socket.on("error", () => {}).pipe(socket));
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  route = await FaultyRoute.to((echo.address() as AddressInfo).port);
  client = await newClient();
});
afterEach(() => {
  client.destroy();
  route.close();
  echo.close();
});

async function newClient(): Promise<Socket> {
  const socket = connect(route.port, "127.0.0.1");
  heard = "";
  socket.on("error", () => {});
  socket.on("data", (text) => {
    heard += text;
  });
  await once(socket, "connect");
  return socket;
}

async function said(text: string): Promise<void> {
  client.write(text);
  while (!heard.endsWith(text)) await once(client, "data");
}

describe("a faulty route", () => {
  test("passes everything on while it is left in peace", async () => {
    await said("one");
    await said("two");
    expect(heard).toBe("onetwo");
  });

  test("passes nothing while it stalls, and all of it afterwards, in order", async () => {
    await said("one");
    let isOver = false;
    const stall = route.stall(100).then(() => {
      isOver = true;
    });
    client.write("two");
    client.write("three");
    await once(client, "data");
    expect(isOver).toBe(true);
    while (heard !== "onetwothree") await once(client, "data");
    await stall;
  });

  test("tears the next answer off after the bytes it was told", async () => {
    await said("one");
    route.tear(2);
    client.write("answer");
    await once(client, "close");
    expect(heard).toBe("onean");
    client = await newClient();
    await said("whole again");
  });

  test("cuts those who are there, and lets others in", async () => {
    await said("one");
    const closed = once(client, "close");
    expect(route.cut()).toBe(1);
    await closed;
    client = await newClient();
    await said("two");
  });

  test("forgets those who are there without telling them, and lets others in", async () => {
    await said("one");
    const forgotten = client;
    expect(route.forget()).toBe(1);
    forgotten.write("two");
    client = await newClient();
    await said("three");
    expect(heard).toBe("three");
    expect(forgotten.destroyed).toBe(false);
    forgotten.destroy();
  });
});
