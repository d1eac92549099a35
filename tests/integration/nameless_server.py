"""nameless_server.py pulseaudio|pipewire SOCKET: a sound server that leaves out every name that its protocol allows to be
left out. It answers one client, as far as its helper program asks. PulseAudio 16.1: src/pulsecore/native-common.h and
tagstruct.c; PipeWire 0.3.65: module-protocol-native/protocol-native.c, spa/pod/pod.h."""
import socket
import struct
import sys

server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[2])
server.listen()
peer, _ = server.accept()


def take(size):
    data = b""
    while len(data) < size:
        try:
            more = peer.recv(size - len(data))
        except OSError:
            more = b""
        if not more:
            sys.exit()
        data += more
    return data


def u32(n):
    return b"L" + struct.pack(">I", n)


def pulseaudio():
    while True:
        size = struct.unpack(">5I", take(20))[0]
        command, tag = struct.unpack(">xIxI", take(size)[:10])
        body = {8: u32(12),  # AUTH: protocol 12, before property lists
                9: b"",  # SET_CLIENT_NAME
                20: b"NNNN" + b"a" + struct.pack(">BBI", 3, 2, 48000) + b"NN" + u32(1),  # GET_SERVER_INFO: N is no string
                35: b"",  # SUBSCRIBE
                }.get(command)
        if body is not None:
            text = u32(2) + u32(tag) + body
            peer.sendall(struct.pack(">5I", len(text), 0xffffffff, 0, 0, 0) + text)


def pod(kind, content):
    return struct.pack("=II", len(content), kind) + content + b"\0" * (-len(content) % 8)


def integer(n):
    return pod(4, struct.pack("=i", n))


def text(string):
    return pod(8, string.encode() + b"\0")


nothing = pod(1, b"")
nameless = pod(14, integer(1) + nothing + text("1"))  # properties: one, without a key


def pipewire():
    seq = 0

    def send(to, opcode, *members):
        nonlocal seq
        content = pod(14, b"".join(members))
        peer.sendall(struct.pack("=4I", to, opcode << 24 | len(content), seq, 0) + content)
        seq += 1

    registry = None
    while True:
        to, what, _, _ = struct.unpack("=4I", take(16))
        content = take(what & 0xffffff)
        ints = [struct.unpack_from("=i", content, at + 8)[0] for at in range(8, len(content) - 8, 8)
                if struct.unpack_from("=II", content, at) == (4, 4)]
        if (to, what >> 24) == (0, 5):  # Core.get_registry
            registry = ints[-1]
            send(registry, 0, integer(5), integer(0x1ff), nothing, integer(3), nameless)
            send(registry, 0, integer(6), integer(0x1ff), text("PipeWire:Interface:Node"), integer(3), nameless)
            send(registry, 0, integer(7), integer(0x1ff), text("PipeWire:Interface:Client"), integer(3), nameless)
        elif (to, what >> 24) == (registry, 1):  # Registry.bind
            send(ints[-1], 0, integer(7), pod(5, struct.pack("=q", 1)), nameless)
        elif (to, what >> 24) == (0, 2):  # Core.sync
            send(0, 1, integer(ints[0]), integer(ints[1]))


{"pulseaudio": pulseaudio, "pipewire": pipewire}[sys.argv[1]]()
