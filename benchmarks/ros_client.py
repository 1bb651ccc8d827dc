"""Asks a node of ROS 2 for inverse kinematics, and prints the answers and how long each took [ms].

Reads a list of requests as JSON. Run by the Python of a ROS, by benchmarks/moveit.py.
"""

import json
import sys
import time

import rclpy
from moveit_msgs.srv import GetPositionIK

from limbik.service.ros_node import fields_of, fill

WARMUP = 200

requests = []
for values in json.loads(sys.stdin.read()):
    requests.append(GetPositionIK.Request())
    fill(requests[-1], values)
rclpy.init()
node = rclpy.create_node("client")
client = node.create_client(GetPositionIK, "/compute_ik")
assert client.wait_for_service(60.0)
answers, times = [], []
for request in requests[:WARMUP] + requests:
    began = time.perf_counter()
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future)
    times.append(1e3 * (time.perf_counter() - began))
    answers.append(fields_of(future.result()))
print(json.dumps([answers[WARMUP:], times[WARMUP:]]))
