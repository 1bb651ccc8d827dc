"""Reach maps and datasets by the workers of a Ray cluster."""

import pytest

import limbik
from limbik.errors import SolverError
from limbik.scale import dataset, make_dataset, reach_map
from limbik.scale import reach as reach_module
from scale.test_reach import content

ray = pytest.importorskip("ray")
pytest.importorskip("ray.cluster_utils")


@pytest.fixture
def cluster(monkeypatch):
    """Two nodes of one core each; workers find the package where the tests find it."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield made
    ray.shutdown()
    made.shutdown()


def test_a_map_by_two_nodes_of_which_one_is_killed_is_the_same_to_the_bit(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(reach_module, "CHUNK_POSES", 2_000)
    model, options = limbik.load("ur5e"), {"voxel": 0.3, "orientations": 20}
    other = cluster.add_node(num_cpus=1)
    seen = []

    def kill_one(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 1:
            cluster.remove_node(other, allow_graceful=False)

    address = cluster.address
    reach = reach_map(model, tmp_path / "ray", engine="ray", address=address, progress=kill_one, **options)
    assert reach.is_complete
    assert seen == [(k + 1, 6) for k in range(6)]
    reach_map(model, tmp_path / "threads", **options)
    assert content(tmp_path / "ray") == content(tmp_path / "threads")
    monkeypatch.setattr(dataset, "CHUNK_POSES", 100)
    make_dataset(model, tmp_path / "ray data", poses=250, engine="ray", address=address)
    make_dataset(model, tmp_path / "data", poses=250)
    assert content(tmp_path / "ray data") == content(tmp_path / "data")


def test_a_cluster_that_does_not_answer_is_an_error(tmp_path):
    with pytest.raises(SolverError, match=r"no Ray cluster answers at '127.0.0.1:9'"):
        reach_map(limbik.load("ur5e"), tmp_path / "map", engine="ray", address="127.0.0.1:9")
