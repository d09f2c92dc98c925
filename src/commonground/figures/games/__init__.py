"""How games went: measures as curves, and how near models and scripts come to people."""
