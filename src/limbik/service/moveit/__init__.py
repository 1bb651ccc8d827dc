"""MoveIt's services of kinematics and of planning scenes, answered by limbik."""
