#!/usr/bin/env python3
"""Packets with a valid start of DDS followed by random bytes.

usage: ros2_noise.py ADDRESS PORT COUNT
"""
import random
import socket
import struct
import sys

address, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rnd = random.Random(1)
kinds = (0x01, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0e, 0x12, 0x13, 0x15, 0x16, 0x80)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    for _ in range(count):
        packet = b"RTPS\x02\x01\x01\x10" + rnd.randbytes(12)
        for _ in range(rnd.randrange(1, 4)):
            size = rnd.randrange(80)
            said = rnd.choice((size, size, 0, 65535))
            packet += bytes((rnd.choice(kinds), rnd.randrange(256))) + struct.pack("<H", said) + rnd.randbytes(size)
        try:
            s.sendto(packet, (address, port))
        except OSError:
            pass  # the port is closed
