/** Lengths, codings and chunks, what follows a message, and how much of it may be. */
import type { FramingCase } from "./framingCases.ts";
import { get, host, post } from "./wireServer.ts";

const chunkedHeader = "Transfer-Encoding: chunked\r\n";
const chunked = (body: string) => post("/", chunkedHeader, body);
const long = (bytes: number) => "y".repeat(bytes);

export const bodyFramings: readonly FramingCase[] = [
  {
    what: "a length and chunks",
    section: "6.1",
    bytes: post("/", `Content-Length: 3\r\n${chunkedHeader}`, "3\r\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
  },
  {
    what: "chunks in HTTP/1.0",
    section: "6.1",
    bytes: `POST / HTTP/1.0\r\n${host}${chunkedHeader}\r\n3\r\nabc\r\n0\r\n\r\n`,
    ours: "400, closed",
  },
  {
    what: "a coding in capitals",
    section: "7",
    bytes: post("/", "Transfer-Encoding: CHUNKED\r\n", "3\r\nabc\r\n0\r\n\r\n"),
    ours: "POST / abc",
  },
  {
    what: "a space behind the coding",
    section: "5.1",
    bytes: post("/", "Transfer-Encoding: chunked \r\n", "3\r\nabc\r\n0\r\n\r\n"),
    ours: "POST / abc",
  },
  {
    what: "a tab behind the coding",
    section: "5.1",
    bytes: post("/", "Transfer-Encoding: chunked\t\r\n", "3\r\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
    nginx: {
      reading: "501, closed",
      why: "It takes the tab for a part of an unknown coding. llhttp does too, and 400 is for one that is not chunked at the end.",
    },
  },
  {
    what: "an unknown coding",
    section: "6.1",
    bytes: post("/", "Transfer-Encoding: gzip, chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"),
    ours: "501, closed",
    node: {
      reading: "POST / abc",
      why: "It removes the chunks and passes the coded body on. Section 6.1 asks for 501.",
    },
  },
  {
    what: "a coding that is not the last",
    section: "6.3",
    bytes: post("/", "Transfer-Encoding: chunked, gzip\r\n", "3\r\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
    nginx: {
      reading: "501, closed",
      why: "It calls it unknown. Section 6.3 asks for 400, since the end of the body cannot be known.",
    },
  },
  {
    what: "identity",
    section: "6.1",
    bytes: post("/", "Transfer-Encoding: identity\r\n", "abc"),
    ours: "400, closed",
    nginx: {
      reading: "501, closed",
      why: "It calls it unknown. It is also not chunked, for which section 6.3 asks for 400.",
    },
  },
  {
    what: "chunked twice",
    section: "6.1",
    bytes: post("/", `${chunkedHeader}${chunkedHeader}`, "3\r\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
  },
  {
    what: "the same length twice",
    section: "6.3",
    bytes: post("/", "Content-Length: 3\r\nContent-Length: 3\r\n", "abc"),
    ours: "400, closed",
  },
  {
    what: "two lengths",
    section: "6.3",
    bytes: post("/", "Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"),
    ours: "400, closed",
  },
  {
    what: "a list of lengths",
    section: "6.3",
    bytes: post("/", "Content-Length: 3, 3\r\n", "abc"),
    ours: "400, closed",
  },
  {
    what: "a length with a sign",
    section: "6.2",
    bytes: post("/", "Content-Length: +3\r\n", "abc"),
    ours: "400, closed",
  },
  {
    what: "a negative length",
    section: "6.2",
    bytes: post("/", "Content-Length: -3\r\n", "abc"),
    ours: "400, closed",
  },
  {
    what: "an empty length",
    section: "6.2",
    bytes: post("/", "Content-Length:\r\n", ""),
    ours: "400, closed",
  },
  {
    what: "a length beyond 64 bits",
    section: "6.2",
    bytes: post("/", `Content-Length: ${2n ** 64n + 3n}\r\n`, "abc"),
    ours: "400, closed",
  },
  {
    what: "a body with a GET",
    section: "6",
    bytes: `GET /1 HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabc`,
    ours: "GET /1 abc",
  },
  {
    what: "a body with an unknown method",
    section: "6",
    bytes: `BREW /1 HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nabc`,
    ours: "BREW /1 abc",
    node: {
      reading: "400, closed",
      why: "Its parser knows a list of methods and refuses the rest.",
    },
  },
  {
    what: "an extension of a chunk",
    section: "7.1.1",
    bytes: chunked("3;a=b\r\nabc\r\n0\r\n\r\n"),
    ours: "POST / abc",
  },
  {
    what: "a space before the size of a chunk",
    section: "7.1",
    bytes: chunked(" 3\r\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
  },
  {
    what: "a space after the size of a chunk",
    section: "7.1",
    bytes: chunked("3 \r\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
    nginx: {
      reading: "POST / abc",
      why: "It skips white space there, which the grammar does not have.",
    },
  },
  {
    what: "0x before the size of a chunk",
    section: "7.1",
    bytes: chunked("0x3\r\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
  },
  {
    what: "a chunk size beyond 64 bits",
    section: "7.1",
    bytes: chunked("10000000000000003\r\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
  },
  {
    what: "a bare LF after the size of a chunk",
    section: "7.1",
    bytes: chunked("3\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
    nginx: {
      reading: "POST / abc",
      why: "It takes a bare LF for a line end within chunks too, where section 7.1 does not allow it.",
    },
  },
  {
    what: "a bare LF within an extension",
    section: "7.1.1",
    bytes: chunked("3;a\nabc\r\n0\r\n\r\n"),
    ours: "400, closed",
    nginx: {
      reading: "POST / abc",
      why: "It ends the extension there. Others read on to CRLF, and so find other chunks.",
    },
  },
  {
    what: "a bare LF after the data of a chunk",
    section: "7.1",
    bytes: chunked("3\r\nabc\n0\r\n\r\n"),
    ours: "400, closed",
    nginx: {
      reading: "POST / abc",
      why: "It takes a bare LF for a line end within chunks too, where section 7.1 does not allow it.",
    },
  },
  {
    what: "data beyond the size of a chunk",
    section: "7.1",
    bytes: chunked("3\r\nabcd\r\n0\r\n\r\n"),
    ours: "400, closed",
  },
  {
    what: "trailers",
    section: "7.1.2",
    bytes: chunked("3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n"),
    ours: "POST / abc",
  },
  {
    what: "a length among the trailers",
    section: "7.1.2",
    bytes: chunked("3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n"),
    ours: "400, closed",
    nginx: {
      reading: "POST / abc",
      why: "It drops trailers unread. llhttp refuses one that speaks of framing; nothing of the body was used by then.",
    },
  },
  {
    what: "a trailer without a colon",
    section: "7.1.2",
    bytes: chunked("3\r\nabc\r\n0\r\nX-T\r\n\r\n"),
    ours: "400, closed",
    nginx: { reading: "POST / abc", why: "It drops trailers unread." },
  },
  {
    what: "two requests at once",
    section: "9.3.2",
    bytes: `${post("/1", "Content-Length: 3\r\n", "abc")}${get("/2")}`,
    ours: "POST /1 abc, GET /2",
  },
  {
    what: "a refusal behind a request",
    section: "9.3.2",
    bytes: `${get("/1")}nonsense\r\n\r\n`,
    ours: "GET /1, 400, closed",
    node: {
      reading: "400, closed",
      why: "It answers the malformed message at once and closes, and the response under way before it is lost.",
    },
  },
  {
    what: "a request to close",
    section: "9.6",
    bytes: `GET /1 HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
    ours: "GET /1, closed",
    node: {
      reading: "400, closed",
      why: "It refuses bytes behind a last request, and the response to that one is lost. Section 9.6 lets them be ignored.",
    },
  },
  {
    what: "an upgrade that nobody knows",
    section: "RFC 9110, 7.8",
    bytes: `GET /1 HTTP/1.1\r\n${host}Connection: upgrade\r\nUpgrade: x\r\n\r\n`,
    ours: "GET /1",
    node: {
      reading: "GET /1, closed",
      why: "It reads nothing more from a connection that asked for an upgrade.",
    },
  },
  {
    what: "100-continue with its body",
    section: "RFC 9110, 10.1.1",
    bytes: post("/", "Expect: 100-continue\r\nContent-Length: 3\r\n", "abc"),
    ours: "POST / abc",
    nginx: {
      reading: "100, POST / abc",
      why: "It sends 100 whether or not the body is here already, in which case RFC 9110, section 10.1.1 lets a server leave it out.",
    },
    node: {
      reading: "100, POST / abc",
      why: "It sends 100 whether or not the body is here already, in which case RFC 9110, section 10.1.1 lets a server leave it out.",
    },
  },
  {
    what: "another expectation",
    section: "RFC 9110, 10.1.1",
    bytes: post("/", "Expect: magic\r\nContent-Length: 3\r\n", "abc"),
    ours: "POST / abc",
    node: {
      reading: "417",
      why: "It refuses what it does not know, as RFC 9110, section 10.1.1 allows. We ignore it, which it allows as well.",
    },
  },
  {
    what: "a target of 9,000 bytes",
    section: "3",
    bytes: get(`/${long(9_000)}`),
    ours: "414, closed",
    node: {
      reading: `GET /${long(9000)}`,
      why: "It has no bound of its own for the target, only 16 kB for all of the head. Ours is 8 kB.",
    },
  },
  {
    what: "a header of 9,000 bytes",
    section: "5",
    bytes: `GET /1 HTTP/1.1\r\n${host}A: ${long(9_000)}\r\n\r\n`,
    ours: "GET /1",
    nginx: {
      reading: "400, closed",
      why: "A line must fit into one of its buffers of 8 kB. Ours is bounded by 16 kB of all headers.",
    },
  },
  {
    what: "headers of 17,000 bytes",
    section: "5",
    bytes: `GET /1 HTTP/1.1\r\n${host}${`A: ${long(2_400)}\r\n`.repeat(7)}\r\n`,
    ours: "431, closed",
    nginx: {
      reading: "431",
      why: "Its bound is 32 kB: it passes them on, and the refusal is that of the service behind it.",
    },
  },
  {
    what: "101 headers",
    section: "5",
    bytes: `GET /1 HTTP/1.1\r\n${host}${"A: b\r\n".repeat(100)}\r\n`,
    ours: "431, closed",
    nginx: {
      reading: "431",
      why: "It has no bound on their number: it passes them on, and the refusal is that of the service behind it.",
    },
    node: { reading: "GET /1", why: "It takes up to 2,000, and drops the rest unsaid." },
  },
];
