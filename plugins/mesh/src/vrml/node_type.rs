use super::FieldType;

macro_rules! node_types {
    (
        read { $($name:ident { $($field:ident: $type:ident,)* })* }
        skipped { $($skipped:ident)* }
    ) => {
        /// A node type of VRML97.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum NodeType {
            $($name,)*
            $($skipped,)*
        }

        impl NodeType {
            /// Name in files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                    $(Self::$skipped => stringify!($skipped),)*
                }
            }

            /// The type with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$name),)*
                    $(stringify!($skipped) => Some(Self::$skipped),)*
                    _ => None,
                }
            }

            /// The names of all types.
            pub(super) fn names() -> &'static [&'static str] {
                &[$(stringify!($name),)* $(stringify!($skipped),)*]
            }

            /// The supported fields, with their types.
            pub fn fields(self) -> &'static [(&'static str, FieldType)] {
                match self {
                    $(Self::$name => &[$((stringify!($field), FieldType::$type),)*],)*
                    $(Self::$skipped => &[],)*
                }
            }

            /// Whether nodes of this type are skipped, because they have no effect on a static model.
            pub fn is_skipped(self) -> bool {
                match self {
                    $(Self::$name => false,)*
                    $(Self::$skipped => true,)*
                }
            }
        }
    };
}

// VRML97 chapter 6: the fields and exposedFields. Only those events are listed that prototypes of bodies pass on.
node_types! {
    read {
        Anchor {
            children: MFNode, description: SFString, parameter: MFString, url: MFString, bboxCenter: SFVec3f,
            bboxSize: SFVec3f, addChildren: MFNode, removeChildren: MFNode,
        }
        Appearance { material: SFNode, texture: SFNode, textureTransform: SFNode, }
        Billboard {
            axisOfRotation: SFVec3f, children: MFNode, bboxCenter: SFVec3f, bboxSize: SFVec3f, addChildren: MFNode,
            removeChildren: MFNode,
        }
        Box { size: SFVec3f, }
        Collision {
            children: MFNode, collide: SFBool, proxy: SFNode, bboxCenter: SFVec3f, bboxSize: SFVec3f,
            addChildren: MFNode, removeChildren: MFNode,
        }
        Color { color: MFColor, }
        Cone { bottomRadius: SFFloat, height: SFFloat, side: SFBool, bottom: SFBool, }
        Coordinate { point: MFVec3f, }
        Cylinder { radius: SFFloat, height: SFFloat, side: SFBool, top: SFBool, bottom: SFBool, }
        DirectionalLight {
            ambientIntensity: SFFloat, color: SFColor, direction: SFVec3f, intensity: SFFloat, on: SFBool,
        }
        ElevationGrid {
            color: SFNode, normal: SFNode, texCoord: SFNode, ccw: SFBool, colorPerVertex: SFBool,
            creaseAngle: SFFloat, height: MFFloat, normalPerVertex: SFBool, solid: SFBool, xDimension: SFInt32,
            xSpacing: SFFloat, zDimension: SFInt32, zSpacing: SFFloat,
        }
        Extrusion {
            beginCap: SFBool, ccw: SFBool, convex: SFBool, creaseAngle: SFFloat, crossSection: MFVec2f,
            endCap: SFBool, orientation: MFRotation, scale: MFVec2f, solid: SFBool, spine: MFVec3f,
        }
        Fog { color: SFColor, fogType: SFString, visibilityRange: SFFloat, }
        FontStyle {
            family: MFString, horizontal: SFBool, justify: MFString, language: SFString, leftToRight: SFBool,
            size: SFFloat, spacing: SFFloat, style: SFString, topToBottom: SFBool,
        }
        Group {
            children: MFNode, bboxCenter: SFVec3f, bboxSize: SFVec3f, addChildren: MFNode, removeChildren: MFNode,
        }
        ImageTexture { url: MFString, repeatS: SFBool, repeatT: SFBool, }
        IndexedFaceSet {
            color: SFNode, coord: SFNode, normal: SFNode, texCoord: SFNode, ccw: SFBool, colorIndex: MFInt32,
            colorPerVertex: SFBool, convex: SFBool, coordIndex: MFInt32, creaseAngle: SFFloat, normalIndex: MFInt32,
            normalPerVertex: SFBool, solid: SFBool, texCoordIndex: MFInt32,
        }
        IndexedLineSet {
            color: SFNode, coord: SFNode, colorIndex: MFInt32, colorPerVertex: SFBool, coordIndex: MFInt32,
        }
        Inline { url: MFString, bboxCenter: SFVec3f, bboxSize: SFVec3f, }
        LOD { level: MFNode, center: SFVec3f, range: MFFloat, }
        Material {
            ambientIntensity: SFFloat, diffuseColor: SFColor, emissiveColor: SFColor, shininess: SFFloat,
            specularColor: SFColor, transparency: SFFloat,
        }
        MovieTexture {
            loop: SFBool, speed: SFFloat, startTime: SFTime, stopTime: SFTime, url: MFString, repeatS: SFBool,
            repeatT: SFBool,
        }
        Normal { vector: MFVec3f, }
        PixelTexture { image: SFImage, repeatS: SFBool, repeatT: SFBool, }
        PointLight {
            ambientIntensity: SFFloat, attenuation: SFVec3f, color: SFColor, intensity: SFFloat, location: SFVec3f,
            on: SFBool, radius: SFFloat,
        }
        PointSet { color: SFNode, coord: SFNode, }
        Shape { appearance: SFNode, geometry: SFNode, }
        Sphere { radius: SFFloat, }
        SpotLight {
            ambientIntensity: SFFloat, attenuation: SFVec3f, beamWidth: SFFloat, color: SFColor, cutOffAngle: SFFloat,
            direction: SFVec3f, intensity: SFFloat, location: SFVec3f, on: SFBool, radius: SFFloat,
        }
        Switch { choice: MFNode, whichChoice: SFInt32, }
        Text { string: MFString, fontStyle: SFNode, length: MFFloat, maxExtent: SFFloat, }
        TextureCoordinate { point: MFVec2f, }
        TextureTransform { center: SFVec2f, rotation: SFFloat, scale: SFVec2f, translation: SFVec2f, }
        Transform {
            center: SFVec3f, children: MFNode, rotation: SFRotation, scale: SFVec3f, scaleOrientation: SFRotation,
            translation: SFVec3f, bboxCenter: SFVec3f, bboxSize: SFVec3f, addChildren: MFNode, removeChildren: MFNode,
        }
        Viewpoint {
            fieldOfView: SFFloat, jump: SFBool, orientation: SFRotation, position: SFVec3f, description: SFString,
        }
        WorldInfo { info: MFString, title: SFString, }
    }
    skipped {
        AudioClip Background ColorInterpolator CoordinateInterpolator CylinderSensor NavigationInfo NormalInterpolator
        OrientationInterpolator PlaneSensor PositionInterpolator ProximitySensor ScalarInterpolator Script Sound
        SphereSensor TimeSensor TouchSensor VisibilitySensor
    }
}
