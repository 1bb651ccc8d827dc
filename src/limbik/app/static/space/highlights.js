/** Highlights joints that keep an arm from its goal, seen through the arm. */

import { Color, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, TorusGeometry, Vector3 } from 'three';
import { token } from './colours.js';

const Z = new Vector3(0, 0, 1);

export class Highlights extends Group {
  /**
   * @param {import('./kinematics.js').ArmDescription} arm @param {import('./skeleton.js').Skeleton} bones
   * @param {string[]} names  of joints
   */
  constructor(arm, bones, names) {
    super();
    const color = new Color(token('danger'));
    const clear = { color, transparent: true, depthTest: false, depthWrite: false, toneMapped: false };
    const ring = new MeshBasicMaterial({ ...clear, opacity: 0.95 });
    const glow = new MeshBasicMaterial({ ...clear, opacity: 0.2 });
    this.marks = arm.joints.filter(({ name }) => names.includes(name)).map((joint) => {
      const group = new Group();
      const radius = bones.radius(joint.child);
      const around = new Quaternion().setFromUnitVectors(Z, new Vector3(...joint.axis));
      const hoop = new Mesh(new TorusGeometry(2.1 * radius, 0.15 * radius, 12, 48).applyQuaternion(around), ring);
      const halo = new Mesh(new SphereGeometry(2.1 * radius, 24, 16), glow);
      hoop.renderOrder = 851;
      halo.renderOrder = 850;
      group.matrixAutoUpdate = false;
      group.add(halo, hoop);
      this.add(group);
      return { link: joint.child, group };
    });
  }

  /** @param {Map<string, import('three').Matrix4>} poses */
  update(poses) {
    for (const { link, group } of this.marks) {
      const pose = poses.get(link);
      if (pose) group.matrix.copy(pose);
      group.matrixWorldNeedsUpdate = true;
    }
  }
}
