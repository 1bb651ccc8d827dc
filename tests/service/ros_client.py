"""A program as users of ROS 2 write it: asks the services of `limbik ros --node` and prints what it got.

Reads one line of JSON: configurations of the Panda, one in each row. Run by the Python of a ROS.
"""

import json
import sys

import rclpy
from geometry_msgs.msg import Point, Pose
from moveit_msgs.msg import CollisionObject, RobotState
from moveit_msgs.srv import ApplyPlanningScene, GetPositionFK, GetPositionIK, GetStateValidity
from sensor_msgs.msg import JointState
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive

NAMES = [f"panda_joint{number}" for number in range(1, 8)]
rows = json.loads(sys.stdin.readline())
rclpy.init()
node = rclpy.create_node("client")
clients = {
    kind: node.create_client(kind, f"/left/{name}")
    for kind, name in (
        (GetPositionFK, "compute_fk"),
        (GetPositionIK, "compute_ik"),
        (GetStateValidity, "check_state_validity"),
        (ApplyPlanningScene, "apply_planning_scene"),
    )
}


def call(request, kind):
    future = clients[kind].call_async(request)
    rclpy.spin_until_future_complete(node, future, timeout_sec=30.0)
    return future.result()


def state(row):
    return RobotState(joint_state=JointState(name=NAMES, position=row))


def pose(row=None):
    request = GetPositionFK.Request(fk_link_names=["flange"])
    if row is not None:
        request.robot_state = state(row)
    return call(request, GetPositionFK).pose_stamped[0]


def solved(target):
    request = GetPositionIK.Request()
    request.ik_request.pose_stamped = target
    return call(request, GetPositionIK)


def place(name, operation):
    scene = ApplyPlanningScene.Request()
    scene.scene.is_diff = True
    box = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[0.2, 0.2, 0.2])
    thing = CollisionObject(id=name, operation=operation, primitives=[box], primitive_poses=[Pose()])
    corners = [
        Point(x=x, y=y, z=z)
        for x, y, z in ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
    ]
    faces = [MeshTriangle(vertex_indices=each) for each in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]
    thing.meshes, thing.mesh_poses = [Mesh(vertices=corners, triangles=faces)], [Pose()]
    thing.pose = pose(rows[0]).pose
    scene.scene.world.collision_objects = [thing]
    return call(scene, ApplyPlanningScene).success


def validity(joint_state):
    request = GetStateValidity.Request(robot_state=RobotState(joint_state=joint_state))
    return call(request, GetStateValidity)


assert all(each.wait_for_service(30.0) for each in clients.values())
answers = [solved(pose(row)) for row in rows]
far = pose(rows[0])
far.pose.position.x = 4.0
refused = solved(far).error_code

publisher = node.create_publisher(JointState, "/left/joint_states", 1)
while publisher.get_subscription_count() == 0:
    rclpy.spin_once(node, timeout_sec=0.1)
publisher.publish(JointState(name=NAMES, position=rows[1]))
while pose() != pose(rows[1]):
    rclpy.spin_once(node, timeout_sec=0.01)

placed = [place("post", b"\x00"), place("no such thing", b"\x01")]
touching = validity(JointState(name=NAMES, position=rows[0]))
unknown = validity(JointState(name=["elbow"], position=[0.0]))
print(
    json.dumps(
        {
            "codes": [each.error_code.val for each in answers],
            "joints": [list(each.solution.joint_state.name) for each in answers],
            "q": [list(each.solution.joint_state.position) for each in answers],
            "refused": [refused.val, refused.message],
            "placed": placed,
            "touching": [touching.valid, sorted({each.contact_body_2 for each in touching.contacts})],
            "unknown": unknown.valid,
        }
    )
)
