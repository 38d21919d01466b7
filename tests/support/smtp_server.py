"""A small SMTP server of the test: it takes mail on 127.0.0.1, or refuses it with a code."""

import socketserver
import threading
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any


class SmtpServer:
    """Takes mail. `refusal` is the reply to every recipient while it is set, such as `450 try later`."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.recipients: list[str] = []
        self.refusal = ""
        owner = self

        class Handler(socketserver.StreamRequestHandler):
            def say(self, line: str) -> None:
                self.wfile.write(f"{line}\r\n".encode())

            def handle(self) -> None:
                self.say("220 test")
                for raw in self.rfile:
                    verb = raw[:4].upper()
                    if verb == b"RCPT" and owner.refusal:
                        self.say(owner.refusal)
                    elif verb == b"RCPT":
                        owner.recipients.append(raw.decode().partition(":")[2].strip())
                        self.say("250 ok")
                    elif verb == b"DATA":
                        self.say("354 go on")
                        owner.messages.append(self.body())
                        self.say("250 ok")
                    elif verb == b"QUIT":
                        self.say("221 bye")
                        return
                    else:
                        self.say("250 ok")

            def body(self) -> Any:
                lines = []
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(line[1:] if line.startswith(b"..") else line)
                return message_from_bytes(b"".join(lines), policy=policy.default)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def __enter__(self) -> "SmtpServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
