"""Servers on the loopback that answer with given bytes and remember who connected."""

import socket
import threading

import pytest


class Server:
    """Answers every connection with the same bytes, or by a function of the socket."""

    def __init__(self, answer, address="127.0.0.1"):
        self.requests = []
        self.connections = 0
        self._answer = answer
        self._listener = socket.create_server(
            (address, 0), family=socket.AF_INET6 if ":" in address else socket.AF_INET
        )
        self._listener.settimeout(60)
        self.port = self._listener.getsockname()[1]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        while True:
            connection, _ = self._listener.accept()
            if self._stop.is_set():
                connection.close()
                return
            self.connections += 1
            with connection:
                connection.settimeout(60)
                try:
                    request = b""
                    while b"\r\n\r\n" not in request:
                        received = connection.recv(65536)
                        if not received:
                            break
                        request += received
                        if request.startswith(b"\x16"):  # a TLS greeting, which has no end of headers
                            break
                    self.requests.append(request)
                    if callable(self._answer):
                        self._answer(connection)
                    else:
                        connection.sendall(self._answer)
                        connection.shutdown(socket.SHUT_WR)
                        connection.recv(1)
                except OSError:
                    continue

    def close(self):
        self._stop.set()
        host = self._listener.getsockname()[0]
        socket.create_connection((host, self.port), timeout=60).close()
        self._thread.join(60)
        self._listener.close()


@pytest.fixture
def serve():
    servers = []

    def start(answer, address="127.0.0.1"):
        servers.append(Server(answer, address))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
