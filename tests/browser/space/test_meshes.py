"""Meshes of robots, as the page reads them."""

from browser.space.stage import Space

URDF = """<robot name="crane">
  <link name="base"/>
  <link name="boom"><visual><geometry><mesh filename="boom.obj"/></geometry></visual></link>
  <joint name="luff" type="revolute">
    <parent link="base"/><child link="boom"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5"/>
  </joint>
</robot>
"""
OBJ = "o boom\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nl 2 4\np 1\n"


def test_the_faces_of_an_obj_are_seen_where_it_has_lines_too(space: Space) -> None:
    space.show("robot=puma560")
    space.drop(("crane.urdf", URDF), ("boom.obj", OBJ))
    count = "stage.crew.arms[0].solids.get('boom')?.attributes.position.count ?? 0"
    is_dressed = "stage.crew.arms[0].hasMeshes"
    space.until(lambda: space.ask(is_dressed), "the mesh is there")
    assert space.ask(count) >= 6
